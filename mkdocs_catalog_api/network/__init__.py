"""What asks the network: the commands for the chart hub and for a published site."""
