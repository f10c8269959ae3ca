# Runs squeezelite, with a minimal Logitech Media Server that makes it play, pause and resume. The server runs in
# threads of the benchmark, so its CPU time is not squeezelite's.
import socket
import struct
import threading
import time

import media
import processes

HOST = "127.0.0.1"
# Seconds between the server's keep-alive messages; squeezelite drops a silent server after 35.
SIGN_OF_LIFE = 5
LONGEST_MESSAGE = 64 * 1024
LONGEST_REQUEST = 4 * 1024

# Parameters of `strm s` for a file: format; sample size, rate, channels and byte order, unless the file's own header
# has them; and tenths of a second to decode before playback starts (values of the real server).
FORMATS = {
    "WAV": (b"p", b"1321", 0),
    "FLAC": (b"f", b"????", 0),
    "Vorbis": (b"o", b"????", 20),
    "Opus": (b"u", b"????", 20),
    "MP3": (b"m", b"????", 1),
}
# kB to receive before decoding starts: the maximum, which takes no time here.
STREAM_THRESHOLD = 255


class Server:
    """Speaks slimproto with one player on ports of its own, and sends it one file over HTTP."""

    def __init__(self, path=None):
        """If `path` is given, that file plays as soon as the player connects."""
        self.path = path
        self.plays_at_once = path is not None
        self.link = None
        self.has_failed = False
        self.sending = threading.Lock()
        self.is_there = threading.Event()
        self.control = socket.create_server((HOST, 0))
        self.music = socket.create_server((HOST, 0))
        self.port = self.control.getsockname()[1]
        for loop in (self._talk, self._serve):
            threading.Thread(target=loop, daemon=True).start()

    def play(self, path):
        self.path = path
        self._stream(b"q")
        self._start()

    def pause(self):
        """Returns when the command was sent (ns)."""
        return self._stream(b"p")

    def resume(self):
        return self._stream(b"u")

    def close(self):
        for one in (self.control, self.music, self.link):
            if one is not None:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                one.close()

    def _send(self, name, content):
        message = name + content
        with self.sending:
            when = time.monotonic_ns()
            self.link.sendall(struct.pack(">H", len(message)) + message)
        return when

    def _stream(self, command, autostart=b"0", kind=b"m", pcm=b"????", threshold=0, ahead=0, port=0, request=b""):
        # Digital output, transition (seconds, type), flags, output threshold, proxied streams, replay gain, address.
        rest = struct.pack(">BBBcBBBIHI", threshold, 0, 0, b"0", 0, ahead, 0, 0, port, 0)
        return self._send(b"strm", command + autostart + kind + pcm + rest + request)

    def _start(self):
        kind, pcm, ahead = FORMATS[media.codec(self.path)]
        self._stream(b"s", b"1", kind, pcm, STREAM_THRESHOLD, ahead, self.music.getsockname()[1],
                     b"GET /music HTTP/1.0\r\n\r\n")

    def _talk(self):
        """Greets the player, reads its messages, and sends keep-alive messages."""
        try:
            self.link, _ = self.control.accept()
            self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.link.settimeout(SIGN_OF_LIFE)
            received = b""
            while True:
                try:
                    more = self.link.recv(LONGEST_MESSAGE)
                    if not more:
                        return
                    received += more
                except TimeoutError:
                    pass
                while len(received) >= 8:
                    length = struct.unpack(">I", received[4:8])[0]
                    if length > LONGEST_MESSAGE:
                        raise RuntimeError(f"squeezelite: a message of {length} bytes")
                    if len(received) < 8 + length:
                        break
                    self._take(received[:4], received[8:8 + length])
                    received = received[8 + length:]
                if self.is_there.is_set() and time.monotonic() >= self.next_sign:
                    self.next_sign = time.monotonic() + SIGN_OF_LIFE
                    self._stream(b"t")
        except OSError:
            pass  # The benchmark ended the player or closed the server.

    def _take(self, name, content):
        if name == b"HELO":
            self.next_sign = time.monotonic() + SIGN_OF_LIFE
            # Full volume without any computation, and both outputs on.
            self._send(b"audg", struct.pack(">IIBBII", 0, 0, 0, 255, 1 << 16, 1 << 16))
            self._send(b"aude", b"\1\1")
            self.is_there.set()
            if self.plays_at_once:
                self._start()
        elif name == b"STAT" and content[:4] == b"STMn":
            self.has_failed = True

    def _serve(self):
        """Answers each request with the file, as fast as the player reads."""
        while True:
            try:
                link, _ = self.music.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(link,), daemon=True).start()

    def _answer(self, link):
        try:
            with link, open(self.path, "rb") as file:
                request = b""
                while b"\r\n\r\n" not in request:
                    more = link.recv(LONGEST_REQUEST)
                    request += more
                    if not more or len(request) > LONGEST_REQUEST:
                        return
                # The real server sends a WAV file's samples without the header, too.
                offset = file.read(4096).index(b"data") + 8 if media.codec(self.path) == "WAV" else 0
                link.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n")
                link.sendfile(file, offset)
        except OSError:
            pass  # The player closed the connection.


class Squeezelite:
    """squeezelite and its server. `thrifty`: closes the card a second after a pause, and may not lock its memory."""

    def __init__(self, env, path=None, thrifty=False):
        self.server = Server(path)
        words = ["squeezelite", "-s", f"{HOST}:{self.server.port}", "-o", "default", "-n", "bench", "-m", "02:00:00:00:00:01"]
        if thrifty:
            unlocked = ["setpriv", "--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock", "prlimit", "--memlock=0:0"]
            words = [*unlocked, *words, "-C", "1"]
        self.live = processes.Live(words, env)
        self.pid = self.live.pid
        self.is_paused = False
        if not self.server.is_there.wait(10):
            self.__exit__()
            raise RuntimeError("squeezelite does not come to its server")

    def play(self, path):
        self.is_paused = False
        self.server.play(path)

    def toggle(self):
        """Pauses or resumes; returns when the command was sent (ns)."""
        self.is_paused = not self.is_paused
        return self.server.pause() if self.is_paused else self.server.resume()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.live.__exit__()
        self.server.close()
        if self.server.has_failed:
            raise RuntimeError(f"squeezelite does not play {self.server.path}")
