# Replaces a Markdown page's links to files that the package does not contain by their text; a pair of parentheses that
# holds nothing but such a link, as in "([how](page.md))", is removed.
# Usage: awk -f shipped-links.awk -v page=PATH LIST PAGE, where PATH is the page's path in the repository, and LIST
# names the shipped files, one per line.
function resolved(target,    parts, count, i, depth, kept, path) {
  sub(/#.*/, "", target)
  sub(/\/$/, "", target)
  count = split(folder target, parts, "/")
  depth = 0
  for (i = 1; i <= count; i++) {
    if (parts[i] == "..") depth--
    else if (parts[i] != "." && parts[i] != "") kept[++depth] = parts[i]
  }
  path = ""
  for (i = 1; i <= depth; i++) path = path (i > 1 ? "/" : "") kept[i]
  return path
}
function unlinked(line,    out, link, text, target) {
  out = ""
  while (match(line, /!?\[[^]]*\]\([^)]*\)/)) {
    link = substr(line, RSTART, RLENGTH)
    out = out substr(line, 1, RSTART - 1)
    line = substr(line, RSTART + RLENGTH)
    text = target = link
    sub(/\]\([^)]*\)$/, "", text); sub(/^!?\[/, "", text)
    sub(/^.*\]\(/, "", target); sub(/\)$/, "", target)
    if (target ~ /^#|:/ || resolved(target) in shipped) out = out link
    else if (out ~ /\($/ && line ~ /^\)/) {
      sub(/ ?\($/, "", out)
      line = substr(line, 2)
    } else out = out text
  }
  return out line
}
# Prints a line, but the punctuation behind a link that was removed from its start after the line before.
function put(line, original) {
  if (original ~ /^[> ]*\(\[/ && line !~ /^[> ]*\(/) {
    match(line, /^[> ]*[.,;:]?/)
    former = former substr(line, RLENGTH, line ~ /^[> ]*[.,;:]/)
    line = substr(line, RLENGTH + 1)
    if (line == "") return
    match(original, /^[> ]*/)
    sub(/^ */, "", line)
    line = substr(original, 1, RLENGTH) line
  }
  if (count++) print former
  former = line
}
BEGIN { folder = page; if (!sub(/[^\/]*$/, "", folder)) folder = "" }
FILENAME == ARGV[1] { shipped[$0]; next }
/^```/ { isCode = !isCode }
{ put(isCode ? $0 : unlinked($0), isCode ? "" : $0) }
END { if (count) print former }
