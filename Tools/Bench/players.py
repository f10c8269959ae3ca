# How the players are started: Swiftlet's two builds, bare decoders, and what Debian has.
import os
import socket
import time

import processes

DECODERS = {
    "WAV": lambda path: ["cat", path],
    "FLAC": lambda path: ["flac", "--silent", "-d", "-c", path],
    "Vorbis": lambda path: ["oggdec", "-Q", "-o", "/dev/null", path],
    "Opus": lambda path: ["opusdec", "--quiet", "--rate", "48000", "--no-dither", path, "/dev/null"],
    "MP3": lambda path: ["mpg123", "-q", "-w", "/dev/null", path],
}


def null_card(folder):
    """An environment in which the default ALSA device takes everything at once."""
    with open(f"{folder}/null.conf", "w") as file:
        file.write("pcm.!default { type null }\nctl.!default { type null }\n")
    return dict(os.environ, ALSA_CONFIG_PATH=f"{folder}/null.conf")


class MPD:
    """mpd with its database of one folder, driven over its socket."""

    def __init__(self, folder, music, env, resampler=None, keeps_state=False):
        os.makedirs(folder, exist_ok=True)
        self.socket_path = f"{folder}/socket"
        quality = "" if resampler is None else f'  format "48000:16:2"\n'
        plugin = "" if resampler is None else resampler
        if keeps_state:
            plugin += f'state_file "{folder}/state"\n'
        with open(f"{folder}/mpd.conf", "w") as file:
            file.write(f"""
music_directory "{music}"
db_file "{folder}/database"
log_file "{folder}/log"
bind_to_address "{self.socket_path}"
zeroconf_enabled "no"
input_cache {{
  size "0"
}}
{plugin}
audio_output {{
  type "alsa"
  name "bench"
  device "default"
  mixer_type "none"
{quality}}}
""")
        self.live = processes.Live(["mpd", "--no-daemon", f"{folder}/mpd.conf"], env)
        self.pid = self.live.pid
        end = time.monotonic() + 10
        while True:
            try:
                self.link = socket.socket(socket.AF_UNIX)
                self.link.connect(self.socket_path)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self.file = self.link.makefile("rw")
        self.file.readline()
        self.ask("update")
        while "updating_db" in self.ask("status"):
            time.sleep(0.05)

    def ask(self, command):
        """Sends a command; answers the fields of the reply."""
        self.file.write(command + "\n")
        self.file.flush()
        fields = {}
        while True:
            line = self.file.readline().rstrip("\n")
            if line == "OK":
                return fields
            if line.startswith("ACK") or not line:
                raise RuntimeError(f"mpd: {command}: {line}")
            name, _, value = line.partition(": ")
            fields[name] = value

    def play(self, name):
        self.ask("clear")
        self.ask(f'add "{name}"')
        self.ask("play")

    def spent(self, name):
        """CPU seconds for one file as fast as the device takes it."""
        before = processes.cpu(self.pid)
        self.play(name)
        end = time.monotonic() + 120
        while self.ask("status")["state"] == "play":
            if time.monotonic() > end:
                raise RuntimeError("mpd does not come to the end")
            time.sleep(0.02)
        return processes.cpu(self.pid) - before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()
        self.live.__exit__()
