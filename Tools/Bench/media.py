# Generates the music for the benchmarks: synthesized, with the same content in every format.
import array
import os
import subprocess
import wave

CODECS = ("WAV", "FLAC", "Vorbis", "Opus", "MP3")


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def codec(path):
    """Returns the codec of a file made by this module, by its extension."""
    return {"wav": "WAV", "flac": "FLAC", "ogg": "Vorbis", "opus": "Opus", "mp3": "MP3"}[path.rsplit(".", 1)[1]]


def rate(codec):
    return 48000 if codec == "Opus" else 44100


def make(folder, seconds):
    """Makes `seconds` of stereo music once per folder; returns a dictionary from codec to path."""
    original = f"{folder}/music-{seconds}.wav"
    paths = {
        "WAV": original,
        "FLAC": f"{folder}/music-{seconds}.flac",
        "Vorbis": f"{folder}/music-{seconds}.ogg",
        "Opus": f"{folder}/music-{seconds}.opus",
        "MP3": f"{folder}/music-{seconds}.mp3",
    }
    if not os.path.exists(original):
        # Two plucked voices, a pad, and a little noise so that lossless coding has work to do.
        bar = f"{folder}/bar.wav"
        run("sox", "-D", "-n", "-r", "44100", "-c", "2", "-b", "16", bar, "synth", "4",
            "pluck", "A3", "pluck", "E4", ":", "synth", "4", "pluck", "C4", "pluck", "G4", "gain", "-9")
        pad = f"{folder}/pad.wav"
        run("sox", "-D", "-n", "-r", "44100", "-c", "2", "-b", "16", pad, "synth", str(seconds),
            "sine", "220", "sine", "277.2", "tremolo", "0.3", "60", "gain", "-18")
        hiss = f"{folder}/hiss.wav"
        run("sox", "-D", "-n", "-r", "44100", "-c", "2", "-b", "16", hiss, "synth", str(seconds),
            "pinknoise", "pinknoise", "gain", "-36")
        tune = f"{folder}/tune.wav"
        run("sox", "-D", bar, tune, "repeat", str(seconds // 8 + 1), "trim", "0", str(seconds))
        run("sox", "-D", "-m", "-v", "1", tune, "-v", "1", pad, "-v", "1", hiss, original)
    if not os.path.exists(paths["FLAC"]):
        run("flac", "--silent", "-f", "-o", paths["FLAC"], original)
    if not os.path.exists(paths["Vorbis"]):
        run("oggenc", "-Q", "-q", "5", "-o", paths["Vorbis"], original)
    if not os.path.exists(paths["Opus"]):
        run("opusenc", "--quiet", "--bitrate", "128", original, paths["Opus"])
    if not os.path.exists(paths["MP3"]):
        run("lame", "--quiet", "-b", "192", original, paths["MP3"])
    return paths


def constant(folder, seconds, level):
    """Makes a WAV file of one constant value, in which the first sample of a ramp is visible."""
    return written(f"{folder}/constant.wav", array.array("h", [level] * 2 * 44100 * seconds))


# Staircase signal, whose value encodes the position in the file. It repeats after 22 s.
STEP, STEPS, LOWEST = 32, 30000, 1000


def staircase(folder, seconds):
    samples = array.array("h")
    for step in range(44100 * seconds // STEP):
        samples.extend([LOWEST + step % STEPS] * 2 * STEP)
    return written(f"{folder}/staircase.wav", samples)


def step_from(heard, frame):
    """Returns (frame of the recording, frame of the file) at the first step of a recorded staircase after a frame."""
    for place in range(frame + 1, len(heard)):
        if heard[place] == heard[place - 1] + 1:
            return place, (heard[place] - LOWEST) * STEP
    raise RuntimeError("the staircase is not heard")


def written(path, samples):
    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44100)
        file.writeframes(samples.tobytes())
    return path
