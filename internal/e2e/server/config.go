package server

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// Config holds a Server's settings. The zero value works. It is read only by
// Start.
type Config struct {
	// Users may log in beside the administrator, and may do what RBAC grants
	// them: nothing at first.
	Users []string
	// Flags are added to those of kube-apiserver; the last of a name counts.
	Flags []string
	// EtcdFlags are added to those of etcd.
	EtcdFlags []string
	// Lifetime bounds how long the processes live, by default 30 minutes.
	Lifetime time.Duration
	// ReadyWithin bounds how long Start and Restart wait until the server
	// answers, by default a minute.
	ReadyWithin time.Duration
	// Output is told what takes long, such as a build. By default nobody is.
	Output io.Writer
}

func (c Config) filled() (Config, error) {
	for _, u := range c.Users {
		if u == "" || u == admin || strings.ContainsAny(u, "\",\n") {
			return c, fmt.Errorf("start server: Users: %q is no name of a user", u)
		}
	}
	c.Lifetime = cmp.Or(c.Lifetime, 30*time.Minute)
	c.ReadyWithin = cmp.Or(c.ReadyWithin, time.Minute)
	if c.Output == nil {
		c.Output = io.Discard
	}
	return c, nil
}
