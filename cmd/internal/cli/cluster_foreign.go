package cli

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/internal/spell"
)

// foreignServer returns the reason for which no dry run may be sent to the version of a group, or "".
// A server behind an API service may ignore that a request is a dry run, and carry it out. So only
// the server's own word counts: an API service without a service, or a 404 that names it.
func (r *reading) foreignServer(ctx context.Context, group, version string) string {
	switch group + "/" + version {
	case "/v1", "apps/v1", "autoscaling/v1", "autoscaling/v2", "batch/v1", "policy/v1": // of each server
		return ""
	}
	var s apiService
	name := version + "." + group
	err := r.wholes.get(ctx, pathOf(servicesAt(), "", name), &s)
	switch {
	case err == nil && s.Metadata.Name == name && s.Spec.Service == nil, namesAbsent(err, servicesAt().Resource, name):
		return ""
	case err == nil && s.Spec.Service == nil:
		return "the server did not answer with the API service " + spell.Line(name)
	case err != nil:
		return "whether the server of " + spell.Line(name) + " knows dry runs is not known: " + why("get", servicesAt().GroupResource().String(), err)
	}
	return fmt.Sprintf("the service %s serves %s, and may carry out a dry run", spell.Line(s.backend()), spell.Line(name))
}
