package clientgo

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	mostWords  = 1024 // bytes of a server's words in an error
	mostCauses = 8    // of them
)

// worded is an error of the server with a text of bounded length, which says all that
// the server gave as the reason.
type worded struct {
	error
	text string
}

func (w *worded) Error() string { return w.text }
func (w *worded) Unwrap() error { return w.error }

// inWords returns an error with such a text. A policy's reason may stand in the
// message alone, or in the causes alone.
func inWords(err error) error {
	text := err.Error()
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		text = addCauses(text, status.Status())
	}
	if len(text) > mostWords {
		text = strings.ToValidUTF8(text[:mostWords], "") + "..."
	}
	return &worded{err, text}
}

// addCauses adds what a status gives as causes and its message does not say.
func addCauses(text string, s metav1.Status) string {
	if s.Details != nil {
		for _, c := range s.Details.Causes[:min(mostCauses, len(s.Details.Causes))] {
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
		return fmt.Sprintf("the server says no more than %s", s.Reason)
	}
	return text
}
