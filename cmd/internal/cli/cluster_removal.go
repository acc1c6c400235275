package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/namespace"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

const (
	maxRemovals  = 8 // finalizers that are tried
	removalTries = 3 // of one removal, while the object changes
	// removalTimeout bounds one dry run. A server waits up to 30 s for each webhook.
	removalTimeout = time.Minute
)

// removals are the answers to dry runs. They remove the finalizers of a marked object. They delete an
// object without a mark whose namespace has one.
type removals struct {
	Tried []removal `json:"tried"`
	// NotSent is the reason for which no dry run was sent, or "".
	NotSent string `json:"notSent,omitempty"`
	// Left counts the finalizers beyond the bound.
	Left int `json:"left,omitempty"`
}

// removal is the answer to one dry run. It is about a finalizer, or about the deletion of the object.
type removal struct {
	Finalizer string    `json:"finalizer,omitempty"`
	Deletion  bool      `json:"deletion,omitempty"`
	Answer    response  `json:"answer"`
	By        []refuser `json:"by,omitempty"`
	Message   string    `json:"message,omitempty"` // of the server
}

// response is the sort of an answer to a dry run.
type response string

const (
	accepted    response = "accepted"
	putBack     response = "put back" // accepted, and the finalizer is in the result
	refused     response = "refused"
	unsupported response = "unsupported" // a webhook has side effects
	noRight     response = "forbidden"   // the account has no right to the write
	changing    response = "changed"
	failed      response = "failed"
)

// tryRemovals sends a dry run for each finalizer in the metadata of a marked object, one after the
// other. If the namespace alone has a mark, it sends one for the deletion of the object. Each has the
// UID and the version of the object as a condition.
//
//test:by TestTryRemoval internal/proof/e2e.TestPluginTriesDeadWebhook
//test:by internal/proof/e2e.TestPluginTriesPolicy
func (r *reading) tryRemovals(ctx context.Context, o *lint.Object, ends bool) *removals {
	out := &removals{Tried: []removal{}}
	list := plainFinalizers(o)
	switch {
	case !o.Deleting && !ends:
		out.NotSent = "neither the object nor its namespace has a deletion mark"
	case o.Deleting && len(list) == 0:
		out.NotSent = "the object has no finalizer in its metadata"
	default:
		out.NotSent = r.foreignServer(ctx, r.target.resource.Group, r.target.version)
	}
	switch {
	case out.NotSent != "":
		return out
	case !o.Deleting:
		out.Tried = append(out.Tried, removal{Deletion: true})
	default:
		out.Left = max(0, len(list)-maxRemovals)
		for _, f := range list[:len(list)-out.Left] {
			out.Tried = append(out.Tried, removal{Finalizer: f})
		}
	}
	for i := range out.Tried {
		r.try(ctx, o.UID, &out.Tried[i])
	}
	return out
}

// try sends one dry run, and reads its answer.
func (r *reading) try(ctx context.Context, uid graph.UID, x *removal) {
	err := r.tryRemoval(ctx, uid, x)
	if err == nil {
		x.Answer = accepted
		return
	}
	x.Answer, x.Message = responseOf(err), namespace.Clip(err.Error())
	if x.Answer == refused || x.Answer == unsupported {
		x.By = r.refusers(ctx, err.Error())
	}
}

var (
	errOtherObject = errors.New("the object is gone, or no longer has the finalizer")
	errPutBack     = errors.New("the answer to the dry run has the finalizer")
)

// tryRemoval sends one dry run, again if the object has changed meanwhile.
func (r *reading) tryRemoval(ctx context.Context, uid graph.UID, x *removal) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, removalTimeout, fmt.Errorf("no answer within %s", removalTimeout))
	defer cancel()
	path := r.target.path()
	for range removalTries {
		var m objectMeta
		if m, err = r.wholes.metadata(ctx, path); err != nil {
			return timely(ctx, err)
		}
		if m.UID != uid || !x.Deletion && !slices.Contains(m.Finalizers, x.Finalizer) {
			return errOtherObject
		}
		if x.Deletion {
			err = r.wholes.tryDelete(ctx, path, &m)
		} else {
			err = r.tryPatch(ctx, path, &m, x.Finalizer)
		}
		if !apierrors.IsConflict(err) {
			break
		}
	}
	if err != nil {
		return timely(ctx, err)
	}
	return nil
}

// tryPatch sends the dry run of a patch. A mutating webhook or policy may put the finalizer back that the
// patch removes, and the server then accepts a write without an effect.
func (r *reading) tryPatch(ctx context.Context, path []string, m *objectMeta, finalizer string) error {
	after, err := r.wholes.tryPatch(ctx, path, removalPatch(m, finalizer))
	if err == nil && slices.Contains(after.Finalizers, finalizer) {
		err = errPutBack
	}
	return err
}

// removalPatch returns the patch that removes a finalizer of one state of one object.
func removalPatch(m *objectMeta, finalizer string) []byte {
	rest := slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return f == finalizer })
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	patch, err := json.Marshal([]operation{
		{"replace", "/metadata/uid", m.UID}, // a server answers with a conflict for another one
		{"replace", "/metadata/resourceVersion", m.ResourceVersion},
		{"replace", "/metadata/finalizers", rest},
	})
	if err != nil {
		panic(fmt.Sprintf("ownergraph: a patch of texts has no JSON: %v", err))
	}
	return patch
}

// responseOf returns the sort of a server's error. A refusal has the code of its author.
func responseOf(err error) response {
	text := err.Error()
	var status apierrors.APIStatus
	switch known := errors.As(err, &status); {
	case lacksDryRun(text):
		return unsupported
	case refusedBy(text):
		return refused
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err) && saysNoRight(text):
		return noRight
	case errors.Is(err, errPutBack):
		return putBack
	case errors.Is(err, errOtherObject), errors.Is(err, graph.ErrNotFound), apierrors.IsConflict(err):
		return changing
	case known && status.Status().Code >= 400 && status.Status().Code < 500 && !apierrors.IsTooManyRequests(err):
		return refused
	}
	return failed
}

// text returns the lines for a person.
func (x *removals) text() string {
	if x.NotSent != "" {
		return "dry run of the removal: not sent: " + namespace.Clip(x.NotSent) + "\n"
	}
	var out strings.Builder
	out.WriteString("dry run of the removal, as this account:\n")
	for i := range x.Tried {
		x.Tried[i].text(&out)
	}
	if x.Left > 0 {
		fmt.Fprintf(&out, "  ... and %s without a dry run\n", spell.Count(uint64(x.Left), "finalizer"))
	}
	return out.String()
}

func (x *removal) text(out *strings.Builder) {
	if x.Deletion {
		out.WriteString("  the deletion of the object: ")
	} else {
		fmt.Fprintf(out, "  %s: ", namespace.Clip(x.Finalizer))
	}
	switch x.Answer {
	case accepted:
		out.WriteString("accepted: the server would carry it out\n")
		return
	case putBack:
		out.WriteString("accepted without an effect: a mutating webhook or policy puts the finalizer back\n")
		return
	case noRight:
		out.WriteString("not known: the account lacks a right\n")
	case changing:
		out.WriteString("not known: the object changes all the time, or it has ended\n")
	case unsupported:
		out.WriteString("not known: a webhook has side effects, so the server sends no dry run to it\n")
	case refused:
		out.WriteString("refused\n")
	default:
		out.WriteString("not known: the dry run failed\n")
	}
	for i := range x.By {
		fmt.Fprintf(out, "    by %s\n", spell.Line(x.By[i].String()))
	}
	fmt.Fprintf(out, "    the server: %s\n", namespace.Clip(x.Message))
}
