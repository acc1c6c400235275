package postgres

import (
	"errors"
	"os"
	osuser "os/user"
	"strconv"
	"syscall"
)

// account is the user of a server that root starts, because the server refuses root. It is nil for
// every other user.
type account struct{ as *syscall.Credential }

func newAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := osuser.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return account{}, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, err
	}
	return account{}, errors.New("no user postgres or nobody: the server refuses root")
}

// attributes end the process with this one.
func (a account) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: a.as, Pdeathsig: syscall.SIGKILL}
}

// take gives a directory to the user.
func (a account) take(dir string) error {
	if a.as == nil {
		return nil
	}
	return os.Chown(dir, int(a.as.Uid), int(a.as.Gid))
}
