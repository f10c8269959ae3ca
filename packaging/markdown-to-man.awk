# Converts docs/reference/console.md from Markdown to a manual page: headings, paragraphs, lists, tables, code.
# Usage: awk -f markdown-to-man.awk -v title=TITLE -v section=N -v name="page \\- what it is" FILE
function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text
}
# Formats a text; words in backticks become bold.
function styled(text,    parts, count, i, out) {
  sub(/^ +/, "", text)
  count = split(escaped(text), parts, "`")
  for (i = 1; i <= count; i++)
    out = out (i % 2 || i == count ? parts[i] : "\\fB" parts[i] "\\fR")
  return (out ~ /^['.]/ ? "\\&" : "") out
}
BEGIN {
  print ".\\\" Made from docs/reference/console.md."
  printf ".TH %s %s \"\" Swiftlet \"Swiftlet\"\n.SH NAME\n%s\n.SH DESCRIPTION\n", title, section, name
}
/^```/ { print inCode ? ".EE\n.RE" : ".PP\n.RS 4\n.EX"; inCode = !inCode; next }
inCode { text = escaped($0); print (text ~ /^['.]/ ? "\\&" : "") text; next }
/^# |^<!--/ { next }
/^## / { print ".SH " toupper(styled(substr($0, 4))); next }
/^### / { print ".SS " styled(substr($0, 5)); next }
/^#### / { print ".TP"; print styled(substr($0, 6)); isItem = 1; next }
/^\|[-|]*$/ { next }
/^\| *key *\|/ { isTable = 1; next }
/^\|/ {
  line = $0
  gsub(/^\| | \|$/, "", line)
  # A bar inside backticks does not end a cell; it does not occur in docs/reference/console.md.
  count = split(line, cell, / \| ?/)
  if (count >= 4) {
    print ".TP\n" styled(cell[1]) "\n" styled(cell[4])
    print "Value: " styled(cell[2]) "; default: " styled(cell[3]) "."
  } else print ".TP\n\\fB" styled(cell[1]) "\\fR\n" styled(cell[2])
  next
}
/^- / { print (isItem ? ".RS\n.IP \\(bu 2\n" styled(substr($0, 3)) "\n.RE" : ".IP \\(bu 2\n" styled(substr($0, 3))); next }
/^$/ { wasBlank = 1; next }
{ if (wasBlank && !isItem) print ".PP"; wasBlank = 0; print styled($0); next }
