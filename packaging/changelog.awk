# Prints a section of CHANGELOG.md as the items of a Debian changelog entry: wrapped, and without links.
# Usage: awk -f changelog.awk -v section=NAME CHANGELOG.md, where NAME is Unreleased or a version.
function flush(    words, count, i, line) {
  if (item == "") return
  while (match(item, /\[[^]]*\]\([^)]*\)/)) {
    line = substr(item, RSTART + 1, RLENGTH - 1)
    sub(/\].*/, "", line)
    item = substr(item, 1, RSTART - 1) line substr(item, RSTART + RLENGTH)
  }
  count = split(item, words, / +/)
  line = "  * " words[1]
  for (i = 2; i <= count; i++) {
    if (length(line) + 1 + length(words[i]) > 78) { print line; line = "   " }
    line = line " " words[i]
  }
  print line
  item = ""
}
/^## \[/ { flush(); isWanted = index($0, "## [" section "]") == 1; next }
!isWanted { next }
/^### / { flush(); print (hasHeading ? "\n" : "") "  [ " substr($0, 5) " ]"; hasHeading = 1; next }
/^- / { flush(); item = substr($0, 3); next }
/^  / { sub(/^ +/, " "); item = item $0; next }
{ flush() }
END { flush() }
