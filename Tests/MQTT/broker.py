"""A real mosquitto on loopback, and a client that receives all messages."""
import pathlib, socket, ssl, struct, subprocess, threading, time
import paho.mqtt.client as paho
from genuine import free_port, wait


def certificates(folder):
    """Creates an authority, the broker's certificate for localhost, one with the same key for another name, and another
    authority."""
    def run(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    for name in ("ca", "other"):
        run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "3650",
            "-subj", f"/CN={name} of a test")
    run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=a broker")
    for file, names in (("broker", "DNS:localhost,IP:127.0.0.1"), ("elsewhere", "DNS:broker.example,IP:127.0.0.9")):
        (folder / "names").write_text(f"subjectAltName={names}\n")
        run("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", f"{file}.pem",
            "-days", "3650", "-extfile", "names")


class Broker:
    """mosquitto without persistence."""

    def __init__(self, folder):
        self.folder, self.port, self.process = pathlib.Path(folder), free_port(), None

    def start(self, *lines):
        """Starts it with lines of configuration in addition to those for its port; returns once it listens."""
        lines = lines or ("allow_anonymous true",)
        user = ["user root"] if pathlib.Path(self.folder).owner() == "root" else []
        (self.folder / "mosquitto.conf").write_text(
            "".join(line + "\n" for line in [*user, f"listener {self.port} 127.0.0.1", *lines]))
        with open(self.folder / "mosquitto.log", "a") as log:
            self.process = subprocess.Popen(["mosquitto", "-c", self.folder / "mosquitto.conf"], stdout=log, stderr=log)
        if not wait(self.listens, 20):
            raise SystemExit("mosquitto does not start: " + (self.folder / "mosquitto.log").read_text()[-2000:])

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            return True
        except OSError:
            return False

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Listener:
    """A client that keeps the last message of each topic, and counts them."""

    def __init__(self, port, name="", user=None, authority=None):
        self.last, self.counts, self.lock = {}, {}, threading.Lock()
        self.client = paho.Client(name)
        if user:
            self.client.username_pw_set(*user)
        if authority:
            self.client.tls_set(str(authority))
        self.client.on_connect = lambda client, *_: client.subscribe("#")
        self.client.on_message = self.take
        self.client.connect("127.0.0.1" if not authority else "localhost", port)
        self.client.loop_start()

    def take(self, client, context, message):
        with self.lock:
            self.last[message.topic] = message.payload
            self.counts[message.topic] = self.counts.get(message.topic, 0) + 1

    def text(self, topic):
        return self.last.get(topic, b"").decode()

    def count(self, topic):
        return self.counts.get(topic, 0)

    def publish(self, topic, payload, **more):
        self.client.publish(topic, payload, **more).wait_for_publish()

    def end(self):
        self.client.disconnect()
        self.client.loop_stop()


class DyingBroker:
    """A broker for TLS that dies during each handshake: it sends `count` bytes of its answer, then closes the connection
    or resets it. A `count` of None: it does so before it reads anything. Other clients than those for TLS are closed."""

    def __init__(self, folder, port, count, resets):
        self.count, self.resets, self.accepted = count, resets, 0
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "broker.pem", folder / "broker.key")
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            if peer.recv(1, socket.MSG_PEEK) != b"\x16":
                peer.close()
                continue
            self.accepted += 1
            if self.count is not None:
                peer.sendall(self.answer(peer.recv(65536))[:self.count])
            if self.resets:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()

    def answer(self, hello):
        """The genuine answer to the client's first message."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        incoming.write(hello)
        try:
            self.context.wrap_bio(incoming, outgoing, server_side=True).do_handshake()
        except ssl.SSLWantReadError:
            pass
        return outgoing.read()

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
