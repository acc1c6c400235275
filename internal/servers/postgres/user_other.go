//go:build !linux

package postgres

import (
	"errors"
	"os"
	"syscall"
)

// credential refuses root, whose server refuses to start.
func credential() (*syscall.Credential, error) {
	if os.Geteuid() == 0 {
		return nil, errors.New("root: the server refuses root")
	}
	return nil, nil
}

func attributes(*syscall.Credential) *syscall.SysProcAttr { return nil }
