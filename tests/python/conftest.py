"""For all tests here."""
import signal

# A shell starts what it puts into the background with interrupts ignored, and its children inherit that:
# the tests of Ctrl-C need them as they are in the foreground.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
