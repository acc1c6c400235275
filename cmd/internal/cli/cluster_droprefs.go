package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	pathcontent "k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/droppatch"
	"github.com/ownergraph/ownergraph/internal/spell"
	"github.com/ownergraph/ownergraph/lint"
)

// The results of a patch.
const (
	wasPatched = "patched"
	conflict   = "conflict" // the object has changed, or it is gone
	wasRefused = "refused"
	notTried   = "not tried"
)

// provenDrops returns the report and the drops of a listing. Each place where the collector looks
// for a dropped owner has been read again, and so has each place that came in by the reads. A place is
// read anew for each UID: an earlier read does not prove that a UID is absent that came in later.
//
//test:by TestApplyReadsAgain
func (r *reading) provenDrops(ctx context.Context, cfg lint.Config, inside func(graph.Key) bool) (lint.Report, lint.Drops, error) {
	done := map[graph.Key]bool{}
	for {
		report, drops, err := lint.CheckDrops(r.in, cfg)
		if err != nil {
			return report, drops, err
		}
		drops.Objects = slices.DeleteFunc(drops.Objects, func(d lint.Drop) bool { return !inside(d.Object) })
		drops.Left = slices.DeleteFunc(drops.Left, func(l lint.LeftReference) bool { return !inside(l.Object) })
		var places []graph.Key
		for _, d := range drops.Objects {
			for _, k := range d.Places(r.in.Kinds) {
				if !done[k] {
					done[k] = true
					places = append(places, k)
				}
			}
		}
		if len(places) == 0 {
			return report, drops, nil
		}
		if over := len(done) - maxReads; over > 0 {
			over = min(over, len(places))
			r.doubt(places[len(places)-over:])
			places = places[:len(places)-over]
		}
		if err := r.store.Reread(ctx, &r.in, places); err != nil {
			return report, drops, timely(ctx, err)
		}
		r.refresh()
	}
}

// patcher sends the patches of drops.
type patcher struct {
	reading *reading
	mapper  meta.RESTMapper
	foreign map[schema.GroupVersion]string // the reasons against a dry run, by foreignServer
}

func (a *app) newPatcher(r *reading) (*patcher, error) {
	mapper, err := a.cluster.Mapper()
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	return &patcher{r, mapper, map[schema.GroupVersion]string{}}, nil
}

// apply tries all patches up to the bound on the server first, without a write. Then it applies
// those that passed. It applies none if the server refuses one of them for another cause than a
// change of the object. It sends nothing to a server that may carry out a dry run.
//
//test:by TestApply TestApplyRefused TestApplyForeign
func (p *patcher) apply(ctx context.Context, drops []lint.Drop, answer *droppatch.Answer, most int) (failed int) {
	within := drops[:min(len(drops), most)]
	stop := false
	for i, d := range within {
		p.send(ctx, d, &answer.Patches[i], true)
		stop = stop || answer.Patches[i].Result == wasRefused
	}
	for i := range drops {
		to := &answer.Patches[i]
		switch {
		case i >= len(within):
			to.Result, to.Cause = notTried, "beyond the "+strconv.Itoa(most)+" patches of --at-most"
		case to.Result == wasPatched && stop:
			to.Result, to.Cause = notTried, "the server refuses another patch"
		case to.Result == wasPatched:
			p.send(ctx, drops[i], to, false)
		}
		if i < len(within) && to.Result != wasPatched {
			failed++
		}
	}
	return failed
}

// remaining returns the number of findings about other references than the dropped ones.
func remaining(report lint.Report, drops []lint.Drop, answer *droppatch.Answer) (n int) {
	done := map[graph.Key]map[string]bool{}
	for i, d := range drops {
		if answer.Patches[i].Result != wasPatched {
			continue
		}
		done[d.Object] = map[string]bool{}
		for _, j := range d.Indexes {
			done[d.Object][fmt.Sprintf("owners[%d]", j)] = true
		}
	}
	for _, f := range report.Findings {
		at, _, _ := strings.Cut(f.Field, ".")
		if !done[f.Object][at] {
			n++
		}
	}
	for _, c := range report.Counts {
		n += c.LeftOut
	}
	return n
}

// send sends one patch, or lets the server try it, and notes the result.
func (p *patcher) send(ctx context.Context, d lint.Drop, to *droppatch.Patch, try bool) {
	err := p.patch(ctx, d, try)
	switch {
	case err == nil:
		to.Result, to.Cause = wasPatched, ""
	case (apierrors.IsConflict(err) || apierrors.IsNotFound(err) || isUnprocessable(err)) && p.changed(ctx, d):
		to.Result, to.Cause = conflict, "the object has changed since it was listed"
	case errors.Is(err, errForeign):
		to.Result, to.Cause = notTried, err.Error()
	default:
		to.Result, to.Cause = wasRefused, spell.Line(err.Error())
	}
}

func (p *patcher) patch(ctx context.Context, d lint.Drop, try bool) error {
	group, kind := spell.Split(d.Object.Kind)
	m, err := p.mapper.RESTMapping(schema.GroupKind{Group: group, Kind: kind})
	if err != nil {
		return err
	}
	if err := p.checkForeign(ctx, m.Resource.GroupVersion()); err != nil {
		return err
	}
	for _, part := range []string{d.Object.Scope, d.Object.Name} {
		if why := pathcontent.IsPathSegmentName(part); len(why) > 0 {
			return fmt.Errorf("%q: %s: %w", part, why[0], graph.ErrRefused)
		}
	}
	body, err := json.Marshal(droppatch.Operations(d))
	if err != nil {
		return err
	}
	q := p.reading.wholes.client.Patch(types.JSONPatchType).MaxRetries(0).AbsPath(pathOf(m.Resource, d.Object.Scope, d.Object.Name)...).
		Param("fieldManager", "kubectl-ownergraph").Body(body)
	if try {
		q = q.Param("dryRun", metav1.DryRunAll)
	}
	var after struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := readAnswer(q.SetHeader("Accept", fmt.Sprintf(metadataAlone, "")).Do(ctx), &after); err != nil {
		return err
	}
	return p.effect(d, after.Metadata.OwnerReferences)
}

var errOwnerPutBack = errors.New("accepted without an effect: a mutating webhook or policy puts the reference back")

// effect returns an error if references are there after a drop that it takes off.
func (p *patcher) effect(d lint.Drop, after []metav1.OwnerReference) error {
	want := map[graph.UID]int{} // the references that remain
	for _, r := range p.reading.object(d.Object).Owners {
		want[r.UID]++
	}
	dropped := map[graph.UID]bool{}
	for _, r := range d.Owners {
		want[r.UID]--
		dropped[r.UID] = true
	}
	for _, r := range after {
		uid := graph.UID(r.UID)
		if want[uid]--; dropped[uid] && want[uid] < 0 {
			return errOwnerPutBack
		}
	}
	return nil
}

// errForeign says that a server may carry out a dry run.
var errForeign = errors.New("no dry run is safe")

// checkForeign returns an error that wraps errForeign for the groups of such servers.
func (p *patcher) checkForeign(ctx context.Context, of schema.GroupVersion) error {
	reason, known := p.foreign[of]
	if !known {
		reason = p.reading.foreignServer(ctx, of.Group, of.Version)
		p.foreign[of] = reason
	}
	if reason != "" {
		return fmt.Errorf("%w: %s", errForeign, reason)
	}
	return nil
}

// isUnprocessable reports whether a server could not apply a patch, or found its result invalid.
func isUnprocessable(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Code == http.StatusUnprocessableEntity
}

// changed reports whether a read shows another state than that of the drop. A server that finds a
// test of a patch wrong does not say so: it calls the patch invalid. A webhook chooses the code of its
// refusal, and the absence of a namespace has the code of the absence of the object.
func (p *patcher) changed(ctx context.Context, d lint.Drop) bool {
	now := lint.Input{Kinds: slices.Clone(p.reading.in.Kinds)}
	i := slices.IndexFunc(now.Kinds, func(k lint.Kind) bool { return k.Kind == d.Object.Kind })
	if err := p.reading.store.Reread(ctx, &now, []graph.Key{d.Object.Place()}); err != nil || i < 0 || !now.Kinds[i].Listed {
		return false
	}
	return len(now.Objects) == 0 || now.Objects[0].UID != d.Object.UID || now.Objects[0].Version != d.Version
}

// errNotApplied says that the server took a part of the patches, or none.
var errNotApplied = errors.New("not applied")

// clusterFlags returns the flags that name the cluster, for a command of kubectl. It has no secret.
func (a *app) clusterFlags() (list []string) {
	c := &a.cluster
	for _, f := range [...]struct{ name, value string }{
		{"kubeconfig", c.Kubeconfig}, {"context", c.CurrentContext}, {"cluster", c.Context.Cluster}, {"user", c.Context.AuthInfo}, {"server", c.ClusterInfo.Server}, {"as", c.AuthInfo.Impersonate},
	} {
		if f.value != "" {
			list = append(list, "--"+f.name+"="+f.value)
		}
	}
	return list
}
