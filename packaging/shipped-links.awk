# Replaces a Markdown page's links to files that the package does not contain by their text.
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
    out = out (target ~ /^#|:/ || resolved(target) in shipped ? link : text)
  }
  return out line
}
BEGIN { folder = page; if (!sub(/[^\/]*$/, "", folder)) folder = "" }
FILENAME == ARGV[1] { shipped[$0]; next }
/^```/ { isCode = !isCode }
{ print isCode ? $0 : unlinked($0) }
