package main
import rego.v1

platform := "linux/amd64" # "": every platform
tolerated := {"deprecated"}
max_age_days := 30 # 0: no limit
former_days := 0
ago(days) := substring(time.format(time.now_ns() - (days * 86400000000000)), 0, 19)

deny contains "not in the catalog" if input.status == 404
deny contains "no answer from the catalog" if not input.status in {200, 404}
deny contains "the answer is about something else" if { input.status == 200; not input.document.digest == input.digest }
deny contains "no version in the answer" if { input.status == 200; not input.document.data[0] }
deny contains "no verdict" if { some entry in input.document.data; not is_array(entry.concerns) }
deny contains sprintf("%v", [word]) if { some entry in input.document.data; some word in entry.concerns; not excused(entry, word) }
deny contains "the platform is not scanned" if { some entry in input.document.data; not on_platform(entry) }
deny contains "end-of-life" if { some entry in input.document.data; not supported(entry) }
deny contains "the scan is too old" if { some entry in input.document.data; not recent(entry) }

excused(_, word) if word in tolerated
excused(entry, "scanned-in-part") if { entry.limits == []; platform in entry.platformsScanned }
excused(entry, "former") if { former_days > 0; entry.until >= substring(ago(former_days), 0, 10); entry.until <= substring(ago(0), 0, 10) }
on_platform(_) if platform == ""
on_platform(entry) if entry.platformsScanned == []
on_platform(entry) if platform in entry.platformsScanned
supported(_) if "end-of-life" in tolerated
supported(entry) if entry.endOfLife == null
supported(entry) if { regex.match(`^[0-9-]{10}$`, entry.endOfLife); entry.endOfLife >= substring(ago(0), 0, 10) }
recent(_) if max_age_days == 0
recent(entry) if { time_of_scan := substring(entry.security.scannedAt, 0, 19); time_of_scan >= ago(max_age_days); time_of_scan <= ago(0) }
