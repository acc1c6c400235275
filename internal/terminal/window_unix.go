//go:build linux || darwin

package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// isTerminal reports whether the file has a window, as only terminals do.
func isTerminal(file *os.File) bool {
	_, ok := window(file)
	return ok
}

// columns returns the present width of the file's window.
func columns(file *os.File) int {
	if w, ok := window(file); ok && w > 0 {
		return w
	}
	return usualColumns
}

// window asks the system for the width of a terminal's window. The width is 0 if the
// terminal does not know it.
func window(file *os.File) (width int, ok bool) {
	var size struct{ rows, columns, x, y uint16 } // struct winsize of ioctl_tty(2)
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
		ok = failed == 0
	})
	return int(size.columns), ok && err == nil
}
