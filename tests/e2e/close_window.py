"""Asks the windows of one process to close, as the title bar's button does (WM_DELETE_WINDOW). Usage: close_window.py PID

WebDriver has no such request: its own "close" tears the page down and skips all that a page does before it goes.
"""

import ctypes
import sys

x11 = ctypes.CDLL("libX11.so.6")
Handle, Window, Atom = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong
CLIENT_MESSAGE = 33


class ClientMessage(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", Handle),
        ("window", Window), ("message_type", Atom), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
    ]


class Event(ctypes.Union):
    _fields_ = [("client", ClientMessage), ("pad", ctypes.c_long * 24)]


x11.XOpenDisplay.restype, x11.XOpenDisplay.argtypes = Handle, [ctypes.c_char_p]
x11.XDefaultRootWindow.restype, x11.XDefaultRootWindow.argtypes = Window, [Handle]
x11.XInternAtom.restype, x11.XInternAtom.argtypes = Atom, [Handle, ctypes.c_char_p, ctypes.c_int]
x11.XQueryTree.argtypes = [
    Handle, Window, ctypes.POINTER(Window), ctypes.POINTER(Window),
    ctypes.POINTER(ctypes.POINTER(Window)), ctypes.POINTER(ctypes.c_uint),
]
x11.XGetWindowProperty.argtypes = [
    Handle, Window, Atom, ctypes.c_long, ctypes.c_long, ctypes.c_int, Atom, ctypes.POINTER(Atom),
    ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_ulong), ctypes.POINTER(ctypes.c_ulong),
    ctypes.POINTER(ctypes.POINTER(ctypes.c_ulong)),
]
x11.XSendEvent.argtypes = [Handle, Window, ctypes.c_int, ctypes.c_long, ctypes.POINTER(Event)]
x11.XSync.argtypes = [Handle, ctypes.c_int]

# A window may go while we look at it; the default is to end the process.
IGNORE = ctypes.CFUNCTYPE(ctypes.c_int, Handle, Handle)(lambda _display, _event: 0)
x11.XSetErrorHandler(IGNORE)

display = x11.XOpenDisplay(None)
if not display:
    sys.exit("no display")


def atom(name):
    return x11.XInternAtom(display, name, 0)


def values(window, name):
    """The numbers in a property, empty when the window has none of that name."""
    kind, size, count, left = Atom(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong()
    data = ctypes.POINTER(ctypes.c_ulong)()
    x11.XGetWindowProperty(
        display, window, atom(name), 0, 32, 0, 0, ctypes.byref(kind), ctypes.byref(size), ctypes.byref(count),
        ctypes.byref(left), ctypes.byref(data),
    )
    return [data[i] for i in range(count.value)] if size.value == 32 else []


def windows(window):
    yield window
    root, parent, children, count = Window(), Window(), ctypes.POINTER(Window)(), ctypes.c_uint()
    x11.XQueryTree(
        display, window, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count)
    )
    for i in range(count.value):
        yield from windows(children[i])


asked = 0
for window in windows(x11.XDefaultRootWindow(display)):
    if values(window, b"_NET_WM_PID") == [int(sys.argv[1])] and atom(b"WM_DELETE_WINDOW") in values(window, b"WM_PROTOCOLS"):
        event = Event()
        event.client.type, event.client.window, event.client.format = CLIENT_MESSAGE, window, 32
        event.client.message_type = atom(b"WM_PROTOCOLS")
        event.client.data[0] = atom(b"WM_DELETE_WINDOW")
        x11.XSendEvent(display, window, 0, 0, ctypes.byref(event))
        asked += 1
x11.XSync(display, 0)
if not asked:
    sys.exit("no window of that process")
