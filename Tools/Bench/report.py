# Collects rows and bars; prints them, writes them as Markdown and as a picture.
import html


class Table:
    def __init__(self, title, columns):
        self.title, self.columns, self.rows = title, columns, []

    def row(self, *cells):
        self.rows.append([cell_text(cell) for cell in cells])


def cell_text(cell):
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell >= 1000 else f"{cell:.2f}" if cell < 10 else f"{cell:.1f}"
    return str(cell)


class Bar:
    def __init__(self, name, value, limit, unit):
        self.name, self.value, self.limit, self.unit = name, value, limit, unit

    @property
    def passes(self):
        # A bar of nothing is met by what a rounded figure calls nothing.
        return self.value <= self.limit or (self.limit == 0 and self.value < 0.05)

    @property
    def verdict(self):
        return "met" if self.passes else "MISSED"


class Report:
    def __init__(self, facts):
        self.facts, self.tables, self.bars = facts, [], []

    def table(self, title, columns):
        self.tables.append(Table(title, columns))
        return self.tables[-1]

    def bar(self, name, value, limit, unit):
        self.bars.append(Bar(name, value, limit, unit))

    @property
    def bar_table(self):
        table = Table("Bars", ["what", "bar", "measured", "verdict"])
        for bar in self.bars:
            table.row(bar.name, f"{bar.limit:g} {bar.unit}", f"{cell_text(float(bar.value))} {bar.unit}",
                      bar.verdict)
        return table

    def text(self):
        lines = [f"{name}: {value}" for name, value in self.facts]
        for table in [self.bar_table, *self.tables]:
            widths = [max(len(row[n]) for row in [table.columns, *table.rows])
                      for n in range(len(table.columns))]
            lines += ["", table.title]
            for row in [table.columns, *table.rows]:
                lines.append("  " + "  ".join(
                    cell.ljust(width) if n == 0 else cell.rjust(width)
                    for n, (cell, width) in enumerate(zip(row, widths))).rstrip())
        return "\n".join(lines) + "\n"

    def markdown(self):
        lines = ["# Bench", "", "Written by `scripts/bench`; the method stands in "
                 "[bench-method.md](bench-method.md).", ""]
        lines += [f"- {name}: {value}" for name, value in self.facts]
        lines += ["", "![Each figure as a share of its bar](bench.svg)"]
        for table in [self.bar_table, *self.tables]:
            lines += ["", f"## {table.title}", "", "| " + " | ".join(table.columns) + " |",
                      "|---" + "|--:" * (len(table.columns) - 1) + "|"]
            lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        return "\n".join(lines) + "\n"

    def svg(self):
        """Every figure as a share of its bar; the line is the bar."""
        row, left, scale, top = 20, 300, 300, 54
        height = top + row * len(self.bars) + 24
        width = left + int(scale * 1.6) + 190
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            '<text x="12" y="22" font-size="15" font-weight="bold" fill="#1a1a1a">'
            "Swiftlet against its bars</text>",
            f'<text x="12" y="40" fill="#666666">{html.escape(dict(self.facts)["date"])}; '
            "shorter is better; the line is the bar</text>",
        ]
        for n, bar in enumerate(self.bars):
            y = top + n * row
            share = bar.value / bar.limit if bar.limit else (0 if bar.passes else 1.5)
            length = max(1, min(share, 1.5) * scale)
            colour = "#2f7d5b" if bar.passes else "#c0392b"
            parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end" fill="#1a1a1a">'
                         f"{html.escape(bar.name)}</text>")
            parts.append(f'<rect x="{left}" y="{y + 3}" width="{length:.1f}" height="{row - 6}" '
                         f'rx="2" fill="{colour}"/>')
            label = f"{cell_text(float(bar.value))} of {bar.limit:g} {bar.unit}"
            parts.append(f'<text x="{left + max(length, scale if share > 0.97 else length) + 8:.1f}" '
                         f'y="{y + 14}" fill="#444444">{html.escape(label)}</text>')
        bottom = top + row * len(self.bars)
        parts.append(f'<line x1="{left + scale}" x2="{left + scale}" y1="{top}" y2="{bottom}" '
                     'stroke="#1a1a1a" stroke-width="1.5" stroke-dasharray="4 3"/>')
        parts.append("</svg>")
        return "\n".join(parts) + "\n"
