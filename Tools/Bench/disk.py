# Benchmark of sizes on disk: this host's builds, the arm64 build, and other players as packaged by Debian.
import glob
import io
import os
import re
import subprocess
import tarfile

# Plugins that are part of the main package.
PLUGINS = tuple(sorted(set(os.listdir("Sources/Decoding/Codecs")) - set(os.listdir("packaging/codecs"))))


def sizes(bench, report):
    table = report.table(
        "On disk, stripped, kB",
        ["player", "program", "plugins", "together", "package, installed", "with all shared libraries"])
    resampling = library("libsoxr.so.0")
    together = {}

    def own(name, folder, is_native, package=None):
        engine, *plugins = [f"{folder}/swiftlet", *(f"{folder}/libSwiftletCodec{plugin}.so" for plugin in PLUGINS)]
        kilobytes = [(stripped(bench, path) if is_native else os.path.getsize(path)) / 1e3 for path in [engine, *plugins]]
        together[name] = sum(kilobytes)
        shared = None
        if is_native:
            libraries = {resampling}.union(*(loaded(path) for path in [engine, *plugins, resampling]))
            shared = sum(kilobytes) + weight(libraries)
        table.row(name, kilobytes[0], sum(kilobytes[1:]), sum(kilobytes), package, shared)

    def everything(name, folder):
        """Adds a row that includes the packages for streams, AAC and WavPack, and their libraries."""
        files = [f"{folder}/swiftlet", *sorted(glob.glob(f"{folder}/libSwiftlet*.so"))]
        kilobytes = [stripped(bench, path) / 1e3 for path in files]
        libraries = {resampling}.union(*(loaded(path) for path in [*files, resampling]))
        table.row(name, kilobytes[0], sum(kilobytes[1:]), sum(kilobytes), None, sum(kilobytes) + weight(libraries))

    for build, program in bench.builds.items():
        own(f"Swiftlet {build}, amd64", os.path.dirname(program), is_native=True)
        everything(f"Swiftlet {build} with all packages, amd64", os.path.dirname(program))
    report.bar("on disk", together["Swiftlet Embedded, amd64"] / 1e3, 2, "MB")
    if not bench.quick:
        subprocess.run([f"{bench.root}/scripts/build-board", "arm64"], check=True, stdout=subprocess.DEVNULL)
        package = max(glob.glob(f"{bench.root}/.board/swiftlet_*_arm64.deb"), key=os.path.getmtime)
        installed = answer("dpkg-deb", "--field", package, "Installed-Size")
        stage = max(glob.glob(f"{bench.root}/.board/*/arm64/stage"), key=os.path.getmtime)
        own("Swiftlet Embedded, arm64", stage, is_native=False, package=int(installed) * 1.024)
        report.bar("on disk, arm64", together["Swiftlet Embedded, arm64"] / 1e3, 1.6, "MB")
    for player, name in (("MPD", "mpd"), ("squeezelite", "squeezelite")):
        program = f"/usr/bin/{name}"
        kilobytes = os.path.getsize(program) / 1e3
        installed = answer("dpkg-query", "--show", "--showformat=${Installed-Size}", name)
        table.row(f"{player}, amd64", kilobytes, None, kilobytes, int(installed) * 1.024,
                  kilobytes + weight(loaded(program)))
        if not bench.quick:
            kilobytes, installed = of_debian(f"{bench.work}/apt", name, "arm64")
            table.row(f"{player}, arm64", kilobytes, None, kilobytes, installed, None)


def of_debian(folder, name, processor):
    """Returns (kB of a package's program, installed kB) of a Debian package for another architecture."""
    for place in ("lists/partial", "cache/archives/partial"):
        os.makedirs(f"{folder}/{place}", exist_ok=True)
    # Separate package lists, so that the host's apt state is not changed.
    apt = ["apt-get", "-qq", "-o", f"Dir::State={folder}", "-o", "Dir::State::status=/dev/null",
           "-o", f"Dir::Cache={folder}/cache", "-o", f"APT::Architecture={processor}",
           "-o", f"APT::Architectures={processor}", "-o", "APT::Sandbox::User=root"]
    if not glob.glob(f"{folder}/lists/*_Packages*"):
        subprocess.run([*apt, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*apt, "download", name], check=True, stdout=subprocess.DEVNULL, cwd=folder)
    package = glob.glob(f"{folder}/{name}_*_{processor}.deb")[0]
    files = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        program = archive.getmember(f"./usr/bin/{name}").size
    return program / 1e3, int(answer("dpkg-deb", "--field", package, "Installed-Size")) * 1.024


def answer(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def stripped(bench, path):
    copy = f"{bench.work}/stripped"
    subprocess.run(["strip", "-o", copy, path], check=True)
    return os.path.getsize(copy)


def library(name):
    """Returns the path in the linker's cache of a library that the program loads at run time only."""
    return os.path.realpath(re.search(rf"{re.escape(name)} .*=> (\S+)", answer("/sbin/ldconfig", "-p")).group(1))


def loaded(path):
    """Returns all shared libraries that a program or library loads, directly or indirectly."""
    return {os.path.realpath(name) for name in re.findall(r"(/\S+) [(]0x", answer("ldd", path))}


def weight(paths):
    return sum(os.path.getsize(path) for path in paths) / 1e3


ALL = [sizes]
