// Swagger UI begins with a script that instant navigation does not run, so its page has to load as a whole.
let arrived = false;
document$.subscribe(() => {
  if (arrived && document.querySelector("iframe.swagger-ui-iframe")) location.reload();
  arrived = true;
});
