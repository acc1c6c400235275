//go:build !linux

package postgres

import (
	"errors"
	"os"
	"syscall"
)

// account is the user of the server, which is that of this process.
type account struct{}

// newAccount refuses root, whose server refuses to start.
func newAccount() (account, error) {
	if os.Geteuid() == 0 {
		return account{}, errors.New("root: the server refuses root")
	}
	return account{}, nil
}

func (account) attributes() *syscall.SysProcAttr { return nil }

func (account) take(string) error { return nil }
