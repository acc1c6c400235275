package clientgo

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

func leasesAt() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
}

// The bounds of the time that a Lease names. A Lease without a time counts for shortestLease, and
// one with a longer time for longestLease, so that no writer makes a member for ever.
const (
	shortestLease = time.Second
	longestLease  = time.Hour

	maxInstance = 1024 // bytes of a member's instance
)

// lease is the part of a Lease that has a member.
type lease struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              leaseSpec `json:"spec"`
}

// leaseSpec is the spec of a Lease. Its times are texts, because they are for people alone: a
// renewal is any change of the spec.
type leaseSpec struct {
	HolderIdentity       string `json:"holderIdentity,omitempty"` // the member's instance
	LeaseDurationSeconds int64  `json:"leaseDurationSeconds,omitempty"`
	AcquireTime          string `json:"acquireTime,omitempty"`
	RenewTime            string `json:"renewTime,omitempty"`
	LeaseTransitions     int64  `json:"leaseTransitions"`
}

// duration returns the time for which the lease is in force after a renewal.
func (s leaseSpec) duration() time.Duration {
	seconds := min(max(s.LeaseDurationSeconds, int64(shortestLease/time.Second)), int64(longestLease/time.Second))
	return time.Duration(seconds) * time.Second
}

// renewed returns the spec after a renewal by an instance. It differs from the former spec: a
// server keeps the version of an object that does not change.
func (s leaseSpec) renewed(instance string, duration time.Duration, now time.Time) leaseSpec {
	text := now.UTC().Format(metav1.RFC3339Micro)
	if text == s.RenewTime {
		text = now.UTC().Add(time.Microsecond).Format(metav1.RFC3339Micro)
	}
	if s.HolderIdentity != instance {
		s.AcquireTime = text
		if s.HolderIdentity != "" && s.LeaseTransitions < math.MaxInt32 {
			s.LeaseTransitions++
		}
	}
	s.HolderIdentity, s.RenewTime = instance, text
	s.LeaseDurationSeconds = int64((duration + time.Second - 1) / time.Second)
	return s
}

// leaseName returns the name of a member's Lease.
func (g *Group) leaseName(verb string, self group.Member) (string, error) {
	wrong := func(field, cause string) (string, error) {
		return "", fmt.Errorf("%s member %q: %s: %s: %w", verb, clip(self.Name), field, cause, graph.ErrInvalid)
	}
	name := g.name + "-" + self.Name
	switch why := validation.IsDNS1123Subdomain(name); {
	case self.Name == "":
		return wrong("name", "empty")
	case len(why) > 0:
		return wrong("name", fmt.Sprintf("%q is no name of a Lease: %s", clip(name), why[0]))
	case self.Instance == "":
		return wrong("instance", "empty")
	case len(self.Instance) > maxInstance:
		return wrong("instance", fmt.Sprintf("longer than %d bytes", maxInstance))
	case !utf8.ValidString(self.Instance): // the server would keep another text
		return wrong("instance", "no valid UTF-8")
	}
	return name, nil
}

// memberOf returns the member that a Lease of the group names. It returns false for a Lease that
// no member of the group has.
func (g *Group) memberOf(l *lease) (group.Member, bool) {
	name, ok := strings.CutPrefix(l.Name, g.name+"-")
	return group.Member{Name: name, Instance: l.Spec.HolderIdentity}, ok && g.labelled(l)
}

// labelled reports whether a Lease is one of the group.
func (g *Group) labelled(l *lease) bool { return l.Labels[GroupLabel] == g.name }

// clip bounds a text of an outsider in an error.
func clip(s string) string {
	const maxClip = 256
	if len(s) > maxClip {
		return strings.ToValidUTF8(s[:maxClip], "") + "..."
	}
	return s
}
