//go:build !unix

package processes

import (
	"errors"
	"syscall"
)

// Without these signals the proofs fail.
const (
	signalEnd  = syscall.Signal(0)
	signalStop = syscall.Signal(1)
	signalGoOn = syscall.Signal(2)
)

func send(int, syscall.Signal) error { return errors.ErrUnsupported }
