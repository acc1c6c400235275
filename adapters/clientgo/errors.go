package clientgo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ownergraph/ownergraph/graph"
)

// retryLater is a transient error with a time for the next try.
type retryLater struct {
	error
	after time.Duration
}

// RetryAfter returns the pause that the server asked for.
func (l *retryLater) RetryAfter() time.Duration { return l.after }

func (l *retryLater) Unwrap() error { return l.error }

// storeError returns the meaning of a server's error for a request for an object,
// wrapped as "verb object: cause":
//
//   - ErrNotFound for a 404 that names this resource and this object, and only for
//     that. A server answers 404 too while it starts, behind a proxy, and for an
//     unserved path. Such a 404 does not name the object. It is ErrKindUnknown, which
//     proves nothing.
//   - ErrConflict for 409.
//   - ErrRefused for an error that will repeat: 400, 403, 405, 406, 413, 415, 422.
//   - A transient error for anything else, with the RetryAfter of the server.
//
// storeError returns the context's own end unchanged. The text has the server's
// message, cut at 1,024 bytes.
//
//test:by TestServerErrors TestErrorText TestErrorNamesPlace TestErrorTextIsBounded
func storeError(ctx context.Context, verb string, key graph.Key, plural string, err error) error {
	if err == nil {
		return nil
	}
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	is := sentinelOf(err, plural, key.Name)
	if is != nil {
		return fmt.Errorf("%s %s: %w: %w", verb, placeText(key), is, withText(err))
	}
	return withDelay(fmt.Errorf("%s %s: %w", verb, placeText(key), withText(err)))
}

// placeText names a key in an error, also one without a UID.
func placeText(k graph.Key) string { return strings.TrimSuffix(k.String(), `@""`) }

// sentinelOf returns the sentinel of a server's error, or nil for a transient error.
func sentinelOf(err error, plural, name string) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	s := status.Status()
	switch s.Code {
	case http.StatusNotFound:
		if namesObject(s, plural, name) {
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

// namesObject reports whether a 404 names exactly this object. The text of an error
// page does not.
func namesObject(s metav1.Status, plural, name string) bool {
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

// withDelay adds the server's RetryAfter, if there is one.
func withDelay(err error) error {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok && seconds > 0 {
		return &retryLater{err, time.Duration(seconds) * time.Second}
	}
	return err
}

// expired reports whether the server has forgotten the requested version.
func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// notServed reports whether the server does not serve the requested path.
func notServed(err error) bool { return apierrors.IsNotFound(err) }

// refusesStream reports whether the server refuses to stream a listing.
func refusesStream(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsMethodNotSupported(err) ||
		apierrors.IsNotAcceptable(err)
}
