package group

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	defaultLease = 15 * time.Second
	minLease     = time.Second
	// renewals is the number of renewals in a lease by default: two may be lost.
	renewals = 3
	minRenew = 100 * time.Millisecond
	// maxName bounds a name, as Kubernetes does for most objects.
	maxName = 253
	// maxHost leaves room for the random digits in a DNS label.
	maxHost = 63 - len("-xxxxxxxx")
)

// Config has the settings of a Membership. The zero value works. All members of a group have one
// Lease and one Renew.
//
//test:by TestNewErrors TestDefaultName
type Config struct {
	// Name is the name of the member, unique in the group. It decides the set of the member. It has
	// at most 253 bytes, and the coordinator may restrict it further. The default is the name of
	// the host with 8 random hexadecimal digits, a DNS label.
	Name string
	// Lease, by default 15 s, is the time for which a renewal lets the member write. It is from
	// 1 s to 1 hour. Renew, by default a third of it, is the time between two renewals, and the
	// longest time of one. It is from 100 ms to half of Lease, so that one lost renewal costs nothing.
	Lease, Renew time.Duration
	// Logger receives the log. The default is no log. A slow logger delays the renewals. See the
	// package documentation, "Logs".
	//
	//test:by TestLog internal/proof/lattice.TestLogWords
	Logger *slog.Logger
}

// filled returns the settings with their defaults. An error wraps graph.ErrInvalid.
func (c Config) filled() (Config, error) {
	if c.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = ""
		}
		c.Name = nameOf(host, randomHex(4))
	}
	if c.Lease == 0 {
		c.Lease = defaultLease
	}
	if c.Renew == 0 {
		c.Renew = c.Lease / renewals
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	field, fault := "Name", nameFault(c.Name)
	if fault == "" {
		field, fault = c.timeFault()
	}
	if fault != "" {
		return c, fmt.Errorf("configure membership: %s: %s: %w", field, fault, graph.ErrInvalid)
	}
	return c, nil
}

// nameFault returns the reason why a name is invalid, "" for a valid one.
func nameFault(name string) string {
	switch {
	case len(name) > maxName:
		return fmt.Sprintf("%d bytes, more than %d", len(name), maxName)
	case !utf8.ValidString(name):
		return fmt.Sprintf("%q is not UTF-8", name)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Sprintf("%q has a character that cannot be printed", name)
	}
	return ""
}

// timeFault returns the field with an invalid time and the reason.
func (c Config) timeFault() (field, fault string) {
	switch {
	case c.Lease < 0:
		return "Lease", fmt.Sprintf("%v is negative", c.Lease)
	case c.Lease < minLease:
		return "Lease", fmt.Sprintf("%v is shorter than %v", c.Lease, minLease)
	case c.Lease > MaxLease:
		return "Lease", fmt.Sprintf("%v is longer than %v", c.Lease, MaxLease)
	case c.Renew < 0:
		return "Renew", fmt.Sprintf("%v is negative", c.Renew)
	case c.Renew < minRenew:
		return "Renew", fmt.Sprintf("%v is shorter than %v", c.Renew, minRenew)
	case c.Renew > c.Lease:
		return "Lease", fmt.Sprintf("%v is shorter than the renewal, %v", c.Lease, c.Renew)
	case c.Renew > c.Lease/2:
		return "Renew", fmt.Sprintf("%v is more than half of the lease, %v: one lost renewal would cost the share", c.Renew, c.Lease)
	}
	return "", ""
}

// nameOf returns a DNS label of the name of a host and some digits.
func nameOf(host, digits string) string {
	label := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(host))
	label = strings.Trim(label[:min(len(label), maxHost)], "-")
	if label == "" {
		label = "collector"
	}
	return label + "-" + digits
}

// randomHex returns random bytes as hexadecimal digits.
func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}
