package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// later is a transient error that says when to come back.
type later struct {
	error
	after time.Duration
}

// RetryAfter returns how long the server asked to be left alone.
func (l *later) RetryAfter() time.Duration { return l.after }

func (l *later) Unwrap() error { return l.error }

// answer returns what a server's error means for the one who asked for an
// object, wrapped as "verb object: cause":
//
//   - ErrNotFound for a 404 by which the server names this resource and this
//     object, and for nothing else. A server that starts, one that is reached
//     through another, or one that does not serve the path, answers 404 too; it
//     does not name the object, and that is ErrKindUnknown, which proves nothing.
//   - ErrConflict for 409.
//   - ErrRefused for what will be the same the next time: 400, 403, 405, 406,
//     413, 415, 422.
//   - Everything else is transient, with RetryAfter where the server said it.
//
// The context's own end is returned as it is. The text has the server's words, of which
// it keeps 1,024 bytes. Held by TestAnswers, TestServersWords and
// TestServersWordsAreBounded.
func answer(ctx context.Context, verb string, key graph.Key, plural string, err error) error {
	if err == nil {
		return nil
	}
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	is := meaningOf(err, plural, key.Name)
	if is != nil {
		return fmt.Errorf("%s %s: %w: %w", verb, key, is, inWords(err))
	}
	return delayed(fmt.Errorf("%s %s: %w", verb, key, inWords(err)))
}

// meaningOf returns the sentinel that an error of the server stands for, nil if
// it is transient.
func meaningOf(err error, plural, name string) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	s := status.Status()
	switch s.Code {
	case http.StatusNotFound:
		if names(s, plural, name) {
			return graph.ErrNotFound
		}
		return graph.ErrKindUnknown
	case http.StatusConflict:
		return graph.ErrConflict
	case http.StatusBadRequest, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return graph.ErrRefused
	}
	return nil
}

// names reports whether the server says of exactly this object that it is not
// there, in words of its own: not the text of a page.
func names(s metav1.Status, plural, name string) bool {
	if s.Reason != metav1.StatusReasonNotFound || s.Details == nil || s.Details.Name != name || s.Details.Kind != plural {
		return false
	}
	for _, c := range s.Details.Causes {
		if c.Type == metav1.CauseTypeUnexpectedServerResponse {
			return false
		}
	}
	return true
}

// delayed adds when to come back, where the server said it.
func delayed(err error) error {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok && seconds > 0 {
		return &later{err, time.Duration(seconds) * time.Second}
	}
	return err
}

// expired reports whether the server has forgotten the version that it was
// asked to go on from.
func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// unserved reports whether the server does not serve what it was asked for.
func unserved(err error) bool { return apierrors.IsNotFound(err) }

// unstreamed reports whether the server refuses to stream a listing.
func unstreamed(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsMethodNotSupported(err) ||
		apierrors.IsNotAcceptable(err)
}
