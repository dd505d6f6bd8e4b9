"""Writes archives that are more than they seem: bombs.py RUN FOLDER. Each holds RUN, as run/; as .tar,
.tar.gz and .zip: zeros, with a file of three million zeros; files, with 1,000 empty files; folders, with one
file below 1,500 folders of which the archive names none. nested.tar holds zeros.tar.gz and RUN."""
import io
import os
import sys
import tarfile
import zipfile

BOMBS = {
    "zeros": [("run/zeros", b"\0" * 3000000)],
    "files": [("run/empty-%d" % i, b"") for i in range(1000)],
    "folders": [("run" + "/d" * 1499 + "/file", b"")],
}


def write_tar(path, mode, run, members, files=()):
    with tarfile.open(path, mode, format=tarfile.GNU_FORMAT) as tar:
        for name in sorted(os.listdir(run)):
            tar.add(os.path.join(run, name), "run/" + name)
        for name, text in members:
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
        for name in files:
            tar.add(name, os.path.basename(name))


def write_zip(path, run, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(os.listdir(run)):
            archive.write(os.path.join(run, name), "run/" + name)
        for name, text in members:
            archive.writestr(name, text)


def main(run, folder):
    for name, members in BOMBS.items():
        path = os.path.join(folder, name)
        write_tar(path + ".tar", "w", run, members)
        write_tar(path + ".tar.gz", "w:gz", run, members)
        write_zip(path + ".zip", run, members)
    write_tar(os.path.join(folder, "nested.tar"), "w", run, [], [os.path.join(folder, "zeros.tar.gz")])


main(*sys.argv[1:])
