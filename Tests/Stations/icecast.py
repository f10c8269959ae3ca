"""A real icecast2 on loopback, its sources, and the music: tones that identify the tracks."""
import base64, http.server, os, socket, ssl, subprocess, threading, time
from genuine import free_port

PASSWORD = "music"


def tone(folder, title, hertz, seconds, kind, rate=44100, channels=2):
    """A track with one tone in a format: mp3, mp2, aac, ogg (Vorbis), opus or oga (FLAC). Without a title it has no
    tags."""
    coding = {"mp3": ["-c:a", "libmp3lame", "-b:a", "256k"], "mp2": ["-c:a", "mp2", "-b:a", "192k"],
              "aac": ["-c:a", "aac", "-b:a", "128k", "-f", "adts"], "ogg": ["-c:a", "libvorbis", "-q:a", "6"],
              "opus": ["-c:a", "libopus", "-b:a", "160k"], "oga": ["-c:a", "flac", "-f", "ogg"]}[kind]
    tags = ["-metadata", f"title={title}", "-metadata", "artist=Tones"] if title else []
    path = folder / f"{hertz}-{rate}-{channels}{'' if title else '-untitled'}.{kind}"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"sine=frequency={hertz}:duration={seconds}:sample_rate={rate}",
         "-ac", str(channels), "-af", "volume=12dB", "-map_metadata", "-1", *tags, *coding, str(path)], check=True)
    return path


def certificate(folder, name, hasExpired=False):
    """A self-signed certificate for a name and its key, in one file each; valid for one day, or expired."""
    place = folder / f"{name}{'-expired' if hasExpired else ''}"
    place.mkdir()
    kind = "IP" if name[0].isdigit() else "DNS"
    (place / "ca.conf").write_text(f"""[ca]
default_ca = own
[own]
database = {place}/index
serial = {place}/serial
new_certs_dir = {place}
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = {kind}:{name}
basicConstraints = CA:TRUE
""")
    (place / "index").touch()
    (place / "serial").write_text("01")

    def run(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=place)
    run("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", "key.pem", "-out", "request.pem")
    now = time.time()
    first, last = (now - 9e6, now - 8e6) if hasExpired else (now - 9e4, now + 9e4)
    dates = [time.strftime("%Y%m%d%H%M%SZ", time.gmtime(date)) for date in (first, last)]
    run("ca", "-batch", "-selfsign", "-notext", "-config", "ca.conf", "-keyfile", "key.pem", "-in", "request.pem", "-out", "certificate.pem",
        "-startdate", dates[0], "-enddate", dates[1])
    return place / "certificate.pem", place / "key.pem"


class SecureServer:
    """A TLS web server on loopback that serves one track or redirects to another address. `with` ends it."""

    def __init__(self, certificate, key, track, elsewhere):
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *words):
                pass

            def do_GET(self):
                leads = self.path == "/elsewhere"
                data = b"" if leads else track.read_bytes()
                self.send_response(302 if leads else 200)
                if leads:
                    self.send_header("Location", elsewhere)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        # A client that rejects the certificate is not an error of the server.
        self.server.handle_error = lambda *words: None
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def url(self, path):
        return f"https://127.0.0.1:{self.server.server_port}/{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Icecast:
    """The server. `with` ends it."""

    def __init__(self, place):
        self.place = place / "icecast"
        self.place.mkdir()
        self.port, self.secure_port = free_port(), free_port()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", self.place / "key.pem", "-out", self.place / "certificate.pem"],
            check=True, stderr=subprocess.DEVNULL)
        (self.place / "both.pem").write_text(
            (self.place / "certificate.pem").read_text() + (self.place / "key.pem").read_text())
        (self.place / "icecast.xml").write_text(f"""<icecast>
  <limits><clients>50</clients><sources>10</sources><burst-size>65536</burst-size><source-timeout>5</source-timeout></limits>
  <authentication><source-password>{PASSWORD}</source-password><relay-password>{PASSWORD}</relay-password>
    <admin-user>admin</admin-user><admin-password>{PASSWORD}</admin-password></authentication>
  <hostname>127.0.0.1</hostname>
  <listen-socket><port>{self.port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <listen-socket><port>{self.secure_port}</port><bind-address>127.0.0.1</bind-address><ssl>1</ssl></listen-socket>
  <fileserve>0</fileserve>
  <paths><logdir>{self.place}</logdir><webroot>/usr/share/icecast2/web</webroot><adminroot>/usr/share/icecast2/admin</adminroot>
    <ssl-certificate>{self.place}/both.pem</ssl-certificate></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel></logging>
</icecast>
""")
        # It refuses to run as root.
        self.user = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
        if self.user:
            place.chmod(0o755)
            for path in (self.place, *self.place.iterdir()):
                subprocess.run(["chown", "nobody:nogroup", path], check=True)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["icecast2", "-c", self.place / "icecast.xml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user)
        deadline = time.monotonic() + 20
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("icecast2 does not start: " + self.log())
                time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def log(self):
        path = self.place / "error.log"
        return path.read_text()[-2000:] if path.exists() else "no log"

    def url(self, mount, secure=False):
        return f"https://127.0.0.1:{self.secure_port}/{mount}" if secure else f"http://127.0.0.1:{self.port}/{mount}"

    def serves(self, mount, seconds=15):
        """Waits until a mount has its source."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=2) as one:
                    one.sendall(f"GET /{mount} HTTP/1.0\r\n\r\n".encode())
                    if b" 200 " in one.recv(100).split(b"\r\n")[0]:
                        return
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"icecast2 has no source for {mount}: {self.log()}")


class Ezstream:
    """ezstream, which plays files in an endless loop. `with` ends it."""

    def __init__(self, icecast, mount, files):
        self.mount = mount
        name = mount.replace(".", "-")
        playlist = icecast.place / f"{name}.m3u"
        playlist.write_text("".join(f"{path}\n" for path in files))
        kind = "MP3" if files[0].suffix == ".mp3" else "Ogg"
        configuration = icecast.place / f"{name}.xml"
        configuration.write_text(f"""<ezstream>
  <servers><server><hostname>127.0.0.1</hostname><port>{icecast.port}</port><password>{PASSWORD}</password><tls>None</tls>
    <reconnect_attempts>0</reconnect_attempts></server></servers>
  <streams><stream><mountpoint>/{mount}</mountpoint><format>{kind}</format><stream_name>Loopback Radio</stream_name></stream></streams>
  <intakes><intake><type>playlist</type><filename>{playlist}</filename></intake></intakes>
</ezstream>
""")
        configuration.chmod(0o600)
        self.output = open(icecast.place / f"{name}.log", "w")
        self.process = subprocess.Popen(
            ["ezstream", "-v", "-c", configuration], stdout=self.output, stderr=self.output, stdin=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Source:
    """Sends files in an endless loop in real time, for formats that ezstream's library cannot send. `with` ends it.

    `returns`: reconnects after the server is lost and continues with the next byte, even in the middle of a frame; Ogg
    restarts, because it is a valid stream only from its headers."""

    def __init__(self, icecast, mount, files, seconds, returns=False):
        self.isOver = False
        self.icecast, self.mount, self.returns = icecast, mount, returns
        self.kind = {"mp3": "audio/mpeg", "mp2": "audio/mpeg", "aac": "audio/aac"}.get(files[0].suffix[1:], "application/ogg")
        self.parts = [(path.read_bytes(), seconds) for path in files]
        self.connect()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def connect(self):
        self.connection = socket.create_connection(("127.0.0.1", self.icecast.port))
        self.connection.sendall(
            f"SOURCE /{self.mount} HTTP/1.0\r\nAuthorization: Basic ".encode() + base64.b64encode(b"source:" + PASSWORD.encode())
            + f"\r\nContent-Type: {self.kind}\r\nIce-Name: Loopback Radio\r\n\r\n".encode())
        answer = self.connection.recv(500)
        if b" 200 " not in answer:
            raise SystemExit(f"icecast2 refuses a source: {answer!r}")

    def reconnect(self):
        while not self.isOver:
            try:
                return self.connect()
            except (OSError, SystemExit):
                time.sleep(0.1)

    def run(self):
        """Sends pieces of odd sizes, so that a connection ends within a frame."""
        if not self.returns:
            return self.send()
        data, seconds = self.parts[0]
        place, due = 0, time.monotonic()
        while not self.isOver:
            try:
                piece = data[place:place + 1009]
                self.connection.sendall(piece)
                place = (place + len(piece)) % len(data)
                due += len(piece) * seconds / len(data)
                time.sleep(max(0, due - time.monotonic()))
            except OSError:
                self.reconnect()
                due = time.monotonic()
                if self.kind == "application/ogg":
                    place = 0

    def send(self):
        due = time.monotonic()
        try:
            while True:
                for data, seconds in self.parts:
                    for index in range(20):
                        self.connection.sendall(data[len(data) * index // 20:len(data) * (index + 1) // 20])
                        due += seconds / 20
                        while time.monotonic() < due:
                            if self.isOver:
                                return
                            time.sleep(0.02)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.isOver = True
        self.connection.close()
