"""Scenario: members of the group swiftlet may use `swiftlet ctl`; other users are shown how to get access."""

TITLE = "a user of the group may use swiftlet ctl; another one is shown how to get the right"


def run(board, note) -> None:
    board.run("id anna || useradd --create-home --groups swiftlet anna; id otto || useradd --create-home otto")
    answer = board.run("su anna -c 'swiftlet ctl status'")
    assert "state: " in answer, answer
    answer = board.run("su otto -c 'swiftlet ctl status' 2>&1; echo status $?")
    assert answer.endswith("status 77") and "Permission denied" in answer and "sudo usermod -aG" in answer, answer
    note(answer.splitlines()[0])
    # Following the displayed advice must help.
    board.run("usermod -aG swiftlet otto")
    assert "state: " in board.run("su otto -c 'swiftlet ctl status'")
