# Prints the licenses named in a machine-readable Debian copyright file: that of `Files: *`, a tab, and those of all
# files separated by "; ". For a file in another format, prints only the tab.
# Usage: awk -f licences.awk /usr/share/doc/PACKAGE/copyright
function stanza() {
  if (isFiles && licence != "") {
    if (isMain && main == "") main = licence
    if (!(licence in seen)) all = all (all == "" ? "" : "; ") licence
    seen[licence] = 1
  }
  isFiles = isMain = 0; licence = ""; field = ""
}
{ sub(/\r$/, "") }
NR == 1 && !/^Format(-Specification)?:/ { exit }
/^[ \t]*$/ { stanza(); next }
/^[^ \t:]+:/ { field = tolower(substr($0, 1, index($0, ":") - 1)) }
field == "files" {
  isFiles = 1
  text = $0; sub(/^[^ \t:]+:/, "", text)
  count = split(text, patterns, /[ \t]+/)
  for (i = 1; i <= count; i++) if (patterns[i] == "*") isMain = 1
}
field == "license" && /^[^ \t]/ { licence = $0; sub(/^[^:]*:[ \t]*/, "", licence); sub(/[ \t]+$/, "", licence) }
END { stanza(); print main "\t" all }
