package run

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// Share says which objects the program writes to. The zero value means all, and Auto means a part
// of them. It is a value.
type Share struct {
	// Auto makes a program that acts a member of a group, by a Lease of its own: see package group.
	// A program that observes is no member, because its part would wait.
	Auto bool
	// Namespace and Group name the group, whose Leases are in the namespace. The defaults are the
	// namespace of the pod, and "ownergraph".
	Namespace, Group string
	// Member is the name of the member, unique in the group. The default is the host's name and
	// random digits. GROUP-MEMBER has to be a name of a Lease.
	Member string
	// Lease is the time for which the part of a crashed member waits. The default is 15 s. Give
	// all members the same.
	Lease time.Duration
}

// String returns "auto" or "all".
func (s Share) String() string {
	if s.Auto {
		return "auto"
	}
	return "all"
}

const (
	defaultGroup = "ownergraph"
	// spaceFile has the namespace of the pod that the program runs in.
	spaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
	maxSpace  = 64 // bytes; a namespace has at most 63
)

// isMember reports whether the program is a member of a group.
func (c *Config) isMember() bool { return c.Share.Auto && c.Act && c.Command.Verb == VerbUnset }

// fillShare checks the share, and sets its defaults. A name that no Lease can have is an error here,
// because no renewal could succeed.
//
//test:by TestShareRefused
func (c *Config) fillShare() error {
	s := &c.Share
	switch {
	case !s.Auto && *s != (Share{}):
		return invalid("Share", "it has settings of a group, and Auto (flag -share auto) is not set")
	case s.Auto && c.Lease.Name != "":
		return invalid("Share.Auto", "set (flag -share auto), and Lease (flag -lease) too: the members of a group all collect, and one holder of a Lease does")
	case s.Auto && c.Engine.Share != share.All():
		return invalid("Engine.Share", "set, and the group of Share.Auto (flag -share auto) sets it")
	case !c.isMember():
		return nil
	case s.Group == "":
		s.Group = defaultGroup
	}
	if s.Namespace == "" {
		space, err := podNamespace()
		if err != nil {
			return invalid("Share.Namespace", fmt.Sprintf("name the namespace of the group (flag -share-group): that of the pod is unknown: %v", err))
		}
		s.Namespace = space
	}
	name := s.Group + "-" + s.Member
	if why := validation.IsDNS1123Subdomain(name); s.Member != "" && len(why) > 0 {
		return invalid("Share.Member", fmt.Sprintf("%.300q is no name of a Lease: %s", name, why[0]))
	}
	return nil
}

// podNamespace returns the namespace of the pod that the program runs in.
func podNamespace() (string, error) {
	f, err := os.Open(spaceFile)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxSpace))
	return strings.TrimSpace(string(text)), err
}

// newMember makes the program's collector a member of its group.
func (p *Program) newMember() (*group.Membership, error) {
	s := p.config.Share
	coordinator, err := clientgo.NewGroup(p.server, s.Namespace, s.Group)
	if err != nil {
		return nil, fmt.Errorf("configure run: Share: %w", err)
	}
	m, err := group.New(p.collector, coordinator, group.Config{Name: s.Member, Lease: s.Lease, Logger: p.log})
	if err != nil {
		return nil, fmt.Errorf("configure run: Share: %w", err)
	}
	return m, nil
}

// logShare says whether the program is a member of a group.
func (p *Program) logShare() {
	s := p.config.Share
	switch {
	case p.member != nil:
		p.log.Info("the members of the group divide the objects", "group", s.Namespace+"/"+s.Group, "member", p.member.Status().Name)
	case s.Auto:
		p.log.Info("a program that observes is no member of the group, and looks at all objects: see -act")
	}
}

// maxMembers bounds the members in an answer.
const maxMembers = 100

// describeShare returns the lines about the group. A program that can work and has no lease is not
// ready, so that an update waits for a right that is missing.
//
//test:by TestShareReady
func (p *Program) describeShare() (ready bool, lines string) {
	if p.member == nil {
		return true, ""
	}
	s := p.member.Status()
	var b strings.Builder
	fmt.Fprintln(&b, oneLine(s.String()))
	for _, m := range s.Members[:min(len(s.Members), maxMembers)] {
		late := ""
		if m.Late {
			late = ", late"
		}
		fmt.Fprintf(&b, "lease of %q: renewed %v ago%s, %v\n", m.Name, m.Age.Round(time.Millisecond), late, m.Share)
	}
	if more := len(s.Members) - maxMembers; more > 0 {
		fmt.Fprintf(&b, "%d more leases\n", more)
	}
	return s.State == group.StateMember || s.State == group.StateOut, b.String()
}
