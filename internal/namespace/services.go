package namespace

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/internal/spell"
)

// Services are the API services of a cluster that are not available. The namespace controller
// cannot list their kinds, so no namespace ends meanwhile.
type Services struct {
	Down []Service `json:"down,omitempty"` // sorted by name
	// Unread is the reason for which they are not known.
	Unread string `json:"unread,omitempty"`
}

// Service is an API service that is not available.
type Service struct {
	Name    string `json:"name"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// Backend is the service behind it, as "NAMESPACE/NAME:PORT", or "".
	Backend string `json:"service,omitempty"`
}

// text writes the services, or the reason for which they are not known.
func (s *Services) text(out *strings.Builder) {
	if s.Unread != "" {
		fmt.Fprintf(out, "API services that are not available: not known: %s\n", Clip(s.Unread))
	}
	if len(s.Down) == 0 {
		return
	}
	out.WriteString("API services that are not available:\n")
	for _, d := range s.Down[:min(len(s.Down), maxNamed)] {
		fmt.Fprintf(out, "  %s (%s): %s", spell.Line(d.Name), spell.Line(d.Reason), Clip(d.Message))
		if d.Backend != "" {
			fmt.Fprintf(out, "; its service: %s", spell.Line(d.Backend))
		}
		out.WriteByte('\n')
	}
	if more := len(s.Down) - maxNamed; more > 0 {
		fmt.Fprintf(out, "  ... and %d more\n", more)
	}
}

// next returns a line for the services, or none.
func (s *Services) next() []string {
	if len(s.Down) == 0 {
		return nil
	}
	var names []string
	for _, d := range s.Down {
		name := spell.Line(d.Name)
		if d.Backend != "" {
			name += " (service " + spell.Line(d.Backend) + ")"
		}
		names = append(names, name)
	}
	if len(names) == 1 {
		return []string{"the operator of the API service " + names[0] + " has to make it available, or to delete it"}
	}
	return []string{fmt.Sprintf("the operators of %d API services have to make them available, or to delete them: %s", len(names), spell.Some(names))}
}
