package clientgo

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	maxText   = 1024 // bytes of a server's message in an error
	maxCauses = 8    // in a text
)

// textError is an error of the server with a bounded text, which contains all reasons
// of the server.
type textError struct {
	error
	text string
}

func (w *textError) Error() string { return w.text }
func (w *textError) Unwrap() error { return w.error }

// withText returns the error with such a text. The reason of an admission policy may
// stand only in the message, or only in the causes.
func withText(err error) error {
	text := err.Error()
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		text = addCauses(text, status.Status())
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return &textError{err, text}
}

// addCauses adds the causes that the message does not contain.
func addCauses(text string, s metav1.Status) string {
	if s.Details != nil {
		for _, c := range s.Details.Causes[:min(maxCauses, len(s.Details.Causes))] {
			if c.Message == "" || strings.Contains(text, c.Message) {
				continue
			}
			if text != "" {
				text += "; "
			}
			if c.Field != "" {
				text += c.Field + ": "
			}
			text += c.Message
		}
	}
	if text == "" {
		return fmt.Sprintf("the server's only reason is %s", s.Reason)
	}
	return text
}
