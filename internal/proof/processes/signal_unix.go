//go:build unix

package processes

import "syscall"

const (
	signalEnd  = syscall.SIGTERM
	signalStop = syscall.SIGSTOP
	signalGoOn = syscall.SIGCONT
)

func send(pid int, s syscall.Signal) error { return syscall.Kill(pid, s) }
