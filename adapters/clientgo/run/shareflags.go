package run

import (
	"flag"
	"fmt"
	"strings"
)

// registerShare registers the flags of the share.
func (c *Config) registerShare(f *flag.FlagSet) {
	f.Var(shareFlag{&c.Share}, "share",
		"the `part` of the objects that the program writes to: all, or auto for an equal part, as a member of a group by Leases; a program without -act is no member")
	f.Var(groupFlag{&c.Share}, "share-group", "with -share auto, the group `namespace/name`, whose Leases are in the namespace (default ownergraph in the namespace of the pod)")
	f.StringVar(&c.Share.Member, "share-member", c.Share.Member, "with -share auto, the `name` of the member (default the host's and random digits)")
	f.DurationVar(&c.Share.Lease, "share-lease", c.Share.Lease, "with -share auto, the time that the part of a crashed member waits; the same for all members (0: 15s)")
}

// shareFlag reads "auto" or "all".
type shareFlag struct{ *Share }

// String returns the share.
func (s shareFlag) String() string {
	if s.Share == nil {
		return ""
	}
	return s.Share.String()
}

// Set sets the share.
func (s shareFlag) Set(text string) error {
	if text != "auto" && text != "all" {
		return fmt.Errorf("%q is no part: write auto or all", text)
	}
	s.Auto = text == "auto"
	return nil
}

// groupFlag reads "namespace/name" of a group.
type groupFlag struct{ *Share }

// String returns the group, or "" for the default.
func (g groupFlag) String() string {
	if g.Share == nil || g.Group == "" {
		return ""
	}
	return g.Namespace + "/" + g.Group
}

// Set sets the group. The empty text stands for the default.
func (g groupFlag) Set(text string) error {
	namespace, name, _ := strings.Cut(text, "/")
	if text != "" && (namespace == "" || name == "" || strings.Contains(name, "/")) {
		return fmt.Errorf("%q is not of the form namespace/name", text)
	}
	g.Namespace, g.Group = namespace, name
	return nil
}
