"""A real snapserver on loopback, and snapclients that write their output to files."""
import contextlib, json, os, signal, socket, subprocess
from genuine import free_port, wait

RATE = 48000
# Both drop frames that are 20 ms late, which is not what is tested.
IN_TIME = ["chrt", "--rr", "1"] if os.geteuid() == 0 else []


class Server:
    """snapserver with one source, which a box feeds. `with` ends it."""

    def __init__(self, place, control="", codec="pcm"):
        self.place = place
        self.feed, self.clients, self.rpc = free_port(), free_port(), free_port()
        source = f"tcp://127.0.0.1:{self.feed}?name=Box&sampleformat={RATE}:16:2&codec={codec}{control}"
        (place / "snapserver.conf").write_text(
            f"[server]\ndatadir = {place}\n[http]\nenabled = false\n[tcp]\nbind_to_address = 127.0.0.1\nport = {self.rpc}\n"
            f"[stream]\nbind_to_address = 127.0.0.1\nport = {self.clients}\nsource = {source}\nbuffer = 400\n")
        self.process = None
        self.start()

    def start(self):
        self.output = open(self.place / "snapserver.log", "a")
        self.process = subprocess.Popen(
            [*IN_TIME, "snapserver", "-c", self.place / "snapserver.conf", "--logging.sink=stdout"],
            stdout=self.output, stderr=self.output, env=dict(os.environ, PATH="/usr/bin:/bin"), start_new_session=True)
        if not wait(lambda: answers(self.rpc), 10):
            raise SystemExit("snapserver does not start: " + self.log())

    def kill(self):
        # Its control script would survive and spin.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def log(self):
        return (self.place / "snapserver.log").read_text()[-3000:]

    def ask(self, method, **parameters):
        """A response of the server's JSON-RPC, as used by mobile apps."""
        with socket.create_connection(("127.0.0.1", self.rpc), timeout=10) as connection:
            lines = connection.makefile("rw")
            lines.write(json.dumps(dict(id=1, jsonrpc="2.0", method=method, params=parameters)) + "\r\n")
            lines.flush()
            # Notifications are ignored.
            while True:
                answer = json.loads(lines.readline())
                if answer.get("id") == 1:
                    return answer

    def stream(self):
        """The server's status of the box's stream."""
        return self.ask("Server.GetStatus")["result"]["server"]["streams"][0]


class Client:
    """A snapclient. `with` ends it."""

    def __init__(self, server, name):
        self.path = server.place / f"{name}.raw"
        self.output = open(server.place / f"{name}.log", "w")
        self.process = subprocess.Popen(
            [*IN_TIME, "snapclient", "-h", "127.0.0.1", "-p", str(server.clients), "--hostID", name, "--player",
             f"file:filename={self.path},mode=w", "--logsink", "stdout"], stdout=self.output, stderr=self.output)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def heard(self):
        """The frames that it has played, as bytes."""
        return self.path.read_bytes() if self.path.exists() else b""


def answers(port):
    """Whether a server listens on the port."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False
