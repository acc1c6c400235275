package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/guard"
)

// Right is the right to a verb on all objects of a resource, on those of one namespace,
// or on one object. A resource "*" of a group "*" stands for all resources. A resource
// may have a subresource, as "namespaces/finalize". It is a value.
type Right struct {
	Verb, Group, Resource string
	Namespace, Name       string
}

// String returns the right, as "delete deployments.apps" or "update
// leases.coordination.k8s.io kube-system/ownergraph".
func (r Right) String() string {
	s := r.Verb + " " + schema.GroupResource{Group: r.Group, Resource: r.Resource}.String()
	if r.Namespace == "" {
		return s
	}
	return strings.TrimSuffix(s+" "+r.Namespace+"/"+r.Name, "/")
}

func (r Right) compare(b Right) int {
	return cmp.Or(cmp.Compare(r.Group, b.Group), cmp.Compare(r.Resource, b.Resource),
		cmp.Compare(r.Namespace, b.Namespace), cmp.Compare(r.Verb, b.Verb))
}

// review returns the request that asks the server for the right.
func (r Right) review() *authorization.SelfSubjectAccessReview {
	resource, part, _ := strings.Cut(r.Resource, "/")
	return &authorization.SelfSubjectAccessReview{Spec: authorization.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorization.ResourceAttributes{
			Verb: r.Verb, Group: r.Group, Resource: resource, Subresource: part, Namespace: r.Namespace, Name: r.Name,
		},
	}}
}

// verbs returns the verbs that the program needs on every resource of the set of kinds. A
// command that changes the record needs none.
func (c Config) verbs() []string {
	switch {
	case c.Command.usesRecord():
		return nil
	case c.Command.Verb == Retire:
		return []string{"get", "list", "watch", "patch"}
	case c.Act:
		return []string{"get", "list", "watch", "patch", "delete"}
	}
	return []string{"get", "list", "watch"}
}

// otherRights returns the other rights that the program needs.
func (c Config) otherRights() []Right {
	var out []Right
	for _, at := range [...]struct{ group, kind, resource string }{
		{"apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions"},
		{"apiregistration.k8s.io", "APIService", "apiservices"},
	} {
		if c.ignores(at.group, metav1.APIResource{Kind: at.kind}) { // the set of kinds needs them
			out = append(out, Right{Verb: "get", Group: at.group, Resource: at.resource}, Right{Verb: "list", Group: at.group, Resource: at.resource})
		}
	}
	if c.Act && c.endsNamespaces() {
		out = append(out, Right{Verb: "update", Resource: "namespaces/finalize"})
	}
	if c.Events {
		out = append(out, Right{Verb: "create", Resource: "events"})
	}
	if c.Engine.Record != "" {
		of := Right{Resource: "configmaps", Namespace: c.recordNamespace()}
		for _, verb := range [...]string{"create", "get", "patch"} {
			of.Verb = verb
			out = append(out, of)
			of.Name = c.recordName() // a create names no object
		}
	}
	if l := c.Lease; l.Name != "" {
		of := Right{Group: "coordination.k8s.io", Resource: "leases", Namespace: l.Namespace}
		for _, verb := range [...]string{"create", "get", "update"} {
			of.Verb = verb
			out = append(out, of)
			of.Name = l.Name // a create names no object
		}
	}
	if c.isMember() { // the Leases of other members too, whose names are not known
		for _, verb := range [...]string{"create", "list", "update", "delete"} {
			out = append(out, Right{Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Namespace: c.Share.Namespace})
		}
	}
	return out
}

// endsNamespaces reports whether the engine removes the finalizer of namespaces.
func (c Config) endsNamespaces() bool {
	_, handled := c.Engine.Handlers[clientgo.NamespaceFinalizer]
	return handled || slices.ContainsFunc(c.Engine.Sweeps, func(s guard.Sweep) bool { return s.Finalizer == clientgo.NamespaceFinalizer })
}

// Missing returns the rights that the program lacks, sorted. It asks the server once
// for each verb on all resources. If the server denies that, it asks for each resource
// of the set of kinds. A verb that is granted for no resource is one missing right, to
// "*.*". Rights in single namespaces do not count.
//
// A caller may call Missing before and during Run. It returns the error of the server.
// A server without SelfSubjectAccessReview returns an error.
//
//test:by TestRights
func (p *Program) Missing(ctx context.Context) ([]Right, error) {
	ctx = p.logContext(ctx)
	defer utilnet.CloseIdleConnectionsFor(p.client.Transport)
	var general []Right
	for _, verb := range p.config.verbs() {
		general = append(general, Right{Verb: verb, Group: "*", Resource: "*"})
	}
	lacking, err := p.denied(ctx, general)
	if err != nil {
		return nil, fmt.Errorf("ask for rights: %w", err)
	}
	missing, err := p.denied(ctx, p.config.otherRights())
	if err != nil {
		return nil, fmt.Errorf("ask for rights: %w", err)
	}
	if len(lacking) > 0 {
		each, err := p.deniedEach(ctx, lacking)
		if err != nil {
			return nil, fmt.Errorf("ask for rights: %w", err)
		}
		missing = append(missing, each...)
	}
	slices.SortFunc(missing, Right.compare)
	return missing, nil
}

// deniedEach asks for each resource of the set of kinds. A verb that is granted for no
// resource stays one right.
func (p *Program) deniedEach(ctx context.Context, lacking []Right) ([]Right, error) {
	found, err := p.resources(ctx)
	if err != nil {
		return nil, err
	}
	var out []Right
	for _, r := range lacking {
		each := make([]Right, len(found))
		for i, at := range found {
			each[i] = Right{Verb: r.Verb, Group: at.Group, Resource: at.Resource}
		}
		missing, err := p.denied(ctx, each)
		if err != nil {
			return nil, err
		}
		if len(missing) == len(each) {
			missing = []Right{r}
		}
		out = append(out, missing...)
	}
	return out, nil
}

// rightsParallel bounds the parallel requests.
const rightsParallel = 8

var errUnanswered = errors.New("the server gave no answer")

// denied returns the rights that the server does not grant, in order.
func (p *Program) denied(ctx context.Context, rights []Right) ([]Right, error) {
	client, err := authorizationclient.NewForConfigAndClient(p.server, p.client)
	if err != nil {
		return nil, err
	}
	granted := make([]bool, len(rights))
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(rightsParallel)
	for i, r := range rights {
		all.Go(func() error {
			answer, err := client.SelfSubjectAccessReviews().Create(ctx, r.review(), metav1.CreateOptions{})
			if err != nil {
				return err
			}
			s := answer.Status
			if !s.Allowed && s.EvaluationError != "" {
				return fmt.Errorf("%s: %w: %s", r, errUnanswered, s.EvaluationError)
			}
			granted[i] = s.Allowed
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	var out []Right
	for i, r := range rights {
		if !granted[i] {
			out = append(out, r)
		}
	}
	return out, nil
}

// maxListed bounds the rights in one line of the log.
const maxListed = 20

// checkRights logs the missing rights. An error of the check is not alarming, because
// each refused request is logged too.
//
//test:by TestRightMissing TestRightsUnknown
func (p *Program) checkRights(ctx context.Context) {
	missing, err := p.Missing(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		p.log.Info("the rights could not be checked", "err", err)
		return
	}
	if len(missing) == 0 {
		return
	}
	p.log.Warn("rights are missing: bind the missing roles of the files rbac.yaml of package run's deploy", "count", len(missing), "rights", listed(missing))
}

// listed returns the first elements of a list, and the number of the others.
func listed[T fmt.Stringer](list []T) string {
	var out []string
	for _, v := range list[:min(len(list), maxListed)] {
		out = append(out, v.String())
	}
	if more := len(list) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}
