# Collects result tables and bars (limits), and writes them as text, Markdown and picture.
import picture


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
        # A limit of zero tolerates what is shown as zero after rounding.
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
        lines = ["# Bench", "", "Written by `scripts/bench`; [bench-method.md](bench-method.md) explains each figure.", ""]
        lines += [f"- {name}: {value}" for name, value in self.facts]
        lines += ["", "![Swiftlet beside MPD and squeezelite](bench.svg)"]
        for table in [self.bar_table, *self.tables]:
            lines += ["", f"## {table.title}", "", "| " + " | ".join(table.columns) + " |",
                      "|---" + "|--:" * (len(table.columns) - 1) + "|"]
            lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        return "\n".join(lines) + "\n"

    def svg(self):
        return picture.drawn(self.markdown(), dict(self.facts)["date"])
