# Generates the wiring table in a board's README.

BEGIN = "<!-- The table is written by scripts/draw-boards, from profile and pins. -->"
END = "<!-- End of the table. -->"


def other_end(board, connection):
    ground = f"GND, pin {board.nearest_ground(connection.pin)}"
    if connection.kind == "button":
        return f"switch to {ground}"
    if connection.kind == "knob":
        return f"encoder's {connection.part}; its C to {ground}"
    leg = f"the {connection.part} leg" if connection.part else "the long leg"
    return f"330 Ω to {leg} of the LED; its common leg to {ground}"


def rows(board):
    if not board.signals:
        yield "| control | connected to |"
        yield "|---|---|"
        for name, where in board.declared:
            yield f"| {name} | `{where}` |"
        return
    yield "| control | header pin | signal | chip | line | the other end |"
    yield "|---|---|---|---|---|---|"
    for one in board.connections:
        name = f"`{one.name}` {one.part}".strip()
        yield (f"| {name} | {one.pin} | {board.signals[one.pin]} | `{one.chip}` | {one.line} "
               f"| {other_end(board, one)} |")


def replaced(board, page):
    """Returns the page with an updated table; None if it has no table markers."""
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        return None
    return page[:begin] + BEGIN + "\n\n" + "\n".join(rows(board)) + "\n\n" + page[end:]
