package group

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestDefaultName: the default name is a DNS label of the host's name with random digits.
func TestDefaultName(t *testing.T) {
	for _, c := range []struct{ host, want, reason string }{
		{"web-1", "web-1-01234567", "a label"},
		{"Web_1.example.com", "web-1-example-com-01234567", "capitals and other characters"},
		{"", "collector-01234567", "a host without a name"},
		{"...", "collector-01234567", "no letter"},
		{"-é-", "collector-01234567", "no letter of a label"},
		{strings.Repeat("x", 70), strings.Repeat("x", 54) + "-01234567", "at most 63 bytes"},
		{strings.Repeat("x", 53) + "--y", strings.Repeat("x", 53) + "-01234567", "no hyphen at the cut"},
	} {
		if got := nameOf(c.host, "01234567"); got != c.want || len(got) > 63 {
			t.Errorf("host %q: %q, want %q: %s", c.host, got, c.want, c.reason)
		}
	}
	first, err := Config{}.filled()
	second, _ := Config{}.filled()
	label := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?-[0-9a-f]{8}$`)
	if err != nil || !label.MatchString(first.Name) || first.Name == second.Name {
		t.Errorf("names %q and %q, error %v: want two labels", first.Name, second.Name, err)
	}
	if first.Lease != 15*time.Second || first.Renew != 5*time.Second || first.Logger == nil {
		t.Errorf("defaults: %+v", first)
	}
}
