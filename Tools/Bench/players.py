# Starts the players: Swiftlet's two builds, the bare decoders, and MPD.
import os
import socket
import subprocess
import time

import processes

def build_decoder(source, folder):
    """Compiles the bare decoders (decode.c) and returns the program's path."""
    program = f"{folder}/decode"
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "flac", "vorbisfile", "opusfile", "libmpg123"],
                           capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["cc", "-O2", "-o", program, source, *flags], check=True)
    return program


def null_card(folder):
    """Returns an environment in which the default ALSA device accepts everything immediately."""
    with open(f"{folder}/null.conf", "w") as file:
        file.write("pcm.!default { type null }\nctl.!default { type null }\n")
    return dict(os.environ, ALSA_CONFIG_PATH=f"{folder}/null.conf")


class MPD:
    """MPD with a database of one folder, controlled over its socket."""

    def __init__(self, folder, music, env, resampler=None, keeps_state=False, output=None, prefix=(), timeout_seconds=10):
        """Starts MPD and waits for its database.

        output: lines of an audio_output to use instead of ALSA. prefix: command that runs MPD, such as valgrind;
        allow a longer timeout with it.
        """
        os.makedirs(folder, exist_ok=True)
        self.socket_path = f"{folder}/socket"
        default = '  type "alsa"\n  device "default"\n  mixer_type "none"'
        quality = "" if resampler is None or output else f'  format "48000:16:2"\n'
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
  name "bench"
{output or default}
{quality}}}
""")
        self.live = processes.Live([*prefix, "mpd", "--no-daemon", f"{folder}/mpd.conf"], env)
        self.pid = self.live.pid
        end = time.monotonic() + timeout_seconds
        while True:
            try:
                self.link = socket.socket(socket.AF_UNIX)
                self.link.connect(self.socket_path)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        # Decoded format of the playing track: rate, bits (f: float), channels.
        self.audio = None
        self.file = self.link.makefile("rw")
        self.file.readline()
        self.ask("update")
        while "updating_db" in self.ask("status"):
            time.sleep(0.05)

    def ask(self, command):
        """Sends a command and returns the fields of the reply."""
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
        """Returns the CPU seconds for one file, played as fast as the device accepts it."""
        before = processes.cpu(self.pid)
        self.play(name)
        end = time.monotonic() + 120
        while (status := self.ask("status"))["state"] == "play":
            self.audio = status.get("audio", self.audio)
            if time.monotonic() > end:
                raise RuntimeError("mpd does not come to the end")
            time.sleep(0.02)
        return processes.cpu(self.pid) - before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()
        self.live.__exit__()
