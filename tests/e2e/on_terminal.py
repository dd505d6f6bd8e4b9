"""Runs a command at a terminal: on_terminal.py WIDTH OUT COMMAND...

OUT gets what came on the terminal, CRs before LFs left out. Where NAME=TEXT stands before the
command, its environment has it. Exits with the command's status; without a terminal with 99.
"""
import fcntl
import os
import pty
import struct
import sys
import termios

width, out, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
try:
    pid, terminal = pty.fork()
except OSError:
    sys.exit(99)
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    os.environ["TERM"] = "xterm"
    while "=" in command[0]:
        name, text = command.pop(0).split("=", 1)
        os.environ[name] = text
    os.execvp(command[0], command)
shown = b""
while True:
    try:
        block = os.read(terminal, 65536)
    except OSError:  # nobody has it open any more
        break
    if not block:
        break
    shown += block
with open(out, "wb") as file:
    file.write(shown.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
