package server

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// Config has a Server's settings. The zero value works. Only Start reads it.
type Config struct {
	// Users may log in beside the administrator. They have the rights that RBAC grants
	// them, and none at first.
	Users []string
	// Flags are added to those of kube-apiserver. The last of a name counts.
	Flags []string
	// EtcdFlags are added to those of etcd.
	EtcdFlags []string
	// Lifetime bounds the life of the processes, by default 30 minutes.
	Lifetime time.Duration
	// ReadyWithin bounds the wait of Start and Restart until the server answers, by
	// default two minutes.
	ReadyWithin time.Duration
	// Output gets notices of long work, such as a build. By default there are none.
	Output io.Writer
}

func (c Config) filled() (Config, error) {
	for _, u := range c.Users {
		if u == "" || u == admin || strings.ContainsAny(u, "\",\n") {
			return c, fmt.Errorf("start server: Users: %q is no name of a user", u)
		}
	}
	c.Lifetime = cmp.Or(c.Lifetime, 30*time.Minute)
	c.ReadyWithin = cmp.Or(c.ReadyWithin, 2*time.Minute)
	if c.Output == nil {
		c.Output = io.Discard
	}
	return c, nil
}
