"""Writes archives that nobody should trust: archives.py RUN FOLDER. Each holds RUN, as run/, and
something that wants to be elsewhere in FOLDER."""
import io
import os
import sys
import tarfile
import zipfile

NAMES = ["::error::x", " ::add-mask::x", "##[error]x", "##vso[task.complete]x", "\u00a0::error::x",
         "a\n::warning::x", "-rf", "--no-db", "$(touch x)",
         "`touch x`", "a'b\"c", "<b>x</b>", "%0A::error::x", "*", "a=b", "\x1b[31m", "\xe9\u2028"]


def member(name, kind=tarfile.REGTYPE, link="", text=b""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size, info.mode = kind, link, len(text), 0o644
    return info, io.BytesIO(text)


def write_tar(path, run, members, names=("run",)):
    with tarfile.open(path, "w") as tar:
        for info, text in members:
            tar.addfile(info, text)
        for name in names:
            tar.add(run, name)


def zip_member(name, between):
    """Where names are written with backslashes the system that packed is Windows."""
    info = zipfile.ZipInfo(name)
    info.filename = name.replace("/", between)
    info.create_system = 3 if between == "/" else 0
    return info


def write_zip(path, run, members, between="/"):
    with zipfile.ZipFile(path, "w") as archive:
        for entry in sorted(os.listdir(run)):
            with open(os.path.join(run, entry), "rb") as file:
                archive.writestr(zip_member("run/" + entry, between), file.read())
        for name, text, mode in members:
            info = zip_member(name, between)
            info.external_attr = mode << 16
            archive.writestr(info, text)
    return path


def encrypt(path, name):
    """Says that a member is encrypted, in both of its headers; of its bytes 12 are the key's then."""
    with open(path, "rb") as file:
        text = bytearray(file.read())
    for mark, flags, size, at in ((b"PK\3\4", 6, 22, 30), (b"PK\1\2", 8, 24, 46)):
        where = text.find(mark)
        while where >= 0:
            if text[where + at:].startswith(name):
                text[where + flags] |= 1
                text[where + size] -= 12
            where = text.find(mark, where + 1)
    with open(path, "wb") as file:
        file.write(text)


def main(run, folder):
    outside = folder + "/was-here"
    tars = {
        "up": [member("../../../secret", text=b"gone"), member("run/../../../../secret", text=b"gone")],
        "absolute": [member(outside, text=b"here"), member("//" + outside, text=b"here")],
        "through-a-link": [member("door", tarfile.SYMTYPE, folder), member("door/secret", text=b"gone"),
                           member("door/was-here", text=b"here")],
        "through-a-chain": [member("a", tarfile.SYMTYPE, "."), member("a/b", tarfile.SYMTYPE, ".."),
                            member("a/b/c", tarfile.SYMTYPE, ".."), member("b/c/b/secret", text=b"gone")],
        "hard-link": [member("secret", tarfile.LNKTYPE, folder + "/secret"), member("secret", text=b"gone")],
        "link": [member("run/more.csv", tarfile.SYMTYPE, folder + "/secret")],
        "devices": [member("run/pipe.csv", tarfile.FIFOTYPE), member("run/zero.csv", tarfile.CHRTYPE)],
    }
    for name, members in tars.items():
        write_tar(os.path.join(folder, name + ".tar"), run, members)
    with tarfile.open(os.path.join(folder, "modes.tar"), "w") as tar:
        def closed(info):
            info.mode = 0
            return info
        tar.add(run, "run", filter=closed)
    write_tar(os.path.join(folder, "names.tar"), run, [], ["%s/run-%d" % (n, i) for i, n in enumerate(NAMES)])
    with open(os.path.join(folder, "names.tar.count"), "w") as file:
        print(len(NAMES), file=file)
    link = 0o120777
    write_zip(os.path.join(folder, "up.zip"), run, [("../../../secret", b"gone", 0o100644)])
    write_zip(os.path.join(folder, "windows.zip"), run, [("run/more/.keep", b"", 0o100644)], "\\")
    write_zip(os.path.join(folder, "windows-up.zip"), run, [("../../../secret", b"gone", 0o100644)], "\\")
    write_zip(os.path.join(folder, "absolute.zip"), run, [(outside, b"here", 0o100644)])
    write_zip(os.path.join(folder, "link.zip"), run, [("run/more.csv", folder + "/secret", link),
                                                      ("door", folder, link),
                                                      ("door/was-here", b"x", 0o100644)])
    encrypt(write_zip(os.path.join(folder, "encrypted.zip"), run, [("hidden.csv", b"x" * 20, 0o100644)]),
            b"hidden.csv")
    encrypt(write_zip(os.path.join(folder, "partly.zip"), run, [("lost/gpu.csv", b"x" * 20, 0o100644),
                                                                ("lost/run.json", b"x" * 20, 0o100644)]),
            b"lost/")
    inner = write_zip(os.path.join(folder, "itself.zip"), run, [])
    for _ in range(6):
        with open(inner, "rb") as file:
            text = file.read()
        write_zip(inner, run, [("inner.zip", text, 0o100644)])


main(*sys.argv[1:])
