package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// pty is a pseudo terminal: a program writes to tty, and the test reads from screen.
type pty struct{ screen, tty *os.File }

// openPty opens a pseudo terminal with a window of some columns.
func openPty(t *testing.T, columns uint16) pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	var locked, number int32
	control(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	p := pty{master, tty}
	p.resize(t, columns)
	return p
}

func (p pty) resize(t *testing.T, columns uint16) {
	t.Helper()
	size := struct{ rows, columns, x, y uint16 }{24, columns, 0, 0}
	control(t, p.tty, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
}

// output closes the program's side and returns the bytes that reached the screen.
func (p pty) output(t *testing.T) string {
	t.Helper()
	if err := p.tty.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(p.screen)
	if err != nil && !errors.Is(err, syscall.EIO) { // Linux ends a pseudo terminal with EIO
		t.Fatal(err)
	}
	return string(got)
}

func control(t *testing.T, f *os.File, request uintptr, value unsafe.Pointer) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, failed = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(value))
	})
	if err != nil || failed != 0 {
		t.Fatalf("ioctl %#x of %s: %v, %v", request, f.Name(), err, failed)
	}
}

// TestPty: a terminal shows one line, redrawn. The line follows the width of the window.
func TestPty(t *testing.T) {
	t.Setenv("TERM", "xterm")
	p := openPty(t, 40)
	play(t, New(p.tty), func(update int) {
		if update == 2 {
			p.resize(t, 120)
		}
	})
	got := p.output(t)
	const line = "delete Deployment.apps/shop/frontend: "
	want := "begin\r\n" +
		erase + "1 of 9 gone; 0 reads, 1 write, 0 fen..." +
		erase + line + "3 of 9 gone; 0 reads, 3 writes, 0 fences, 1s" +
		erase + line + "8 of 9 gone; 0 reads, 8 writes, 0 fences, 1.1s" +
		erase + line + "9 of 9 gone; 0 reads, 9 writes, 0 fences, 1.2s\r\n" +
		"end\r\n"
	if got != want {
		t.Errorf("the terminal got %q\nwant                %q", got, want)
	}
}

// TestPtyOfAnyWidth: no redraw wraps, so the screen shows the title, the last line and
// the end, and nothing between them.
func TestPtyOfAnyWidth(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, width := range []uint16{0, 1, 2, 4, 20, 79, 80, 81, 200} {
		p := openPty(t, width)
		play(t, New(p.tty), nil)
		s := screen{columns: int(width)}
		if width == 0 {
			s.columns = usualColumns // a terminal that does not know its window
		}
		s.write(p.output(t))
		lines := strings.Split(plainPlay, "\n")
		want := screen{columns: s.columns}
		want.write(strings.Join([]string{lines[0], lines[2], lines[3], ""}, "\n"))
		if s.text() != want.text() {
			t.Errorf("a window of %d columns shows\n%swant\n%s", width, s.text(), want.text())
		}
	}
}

// TestDumbTerminal: a terminal that cannot erase a line gets plain lines.
func TestDumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	p := openPty(t, 80)
	play(t, New(p.tty), nil)
	if got := strings.ReplaceAll(p.output(t), "\r\n", "\n"); got != plainPlay {
		t.Errorf("the terminal got %q\nwant                %q", got, plainPlay)
	}
}
