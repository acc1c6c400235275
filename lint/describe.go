package lint

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Describe returns the description of a code as lines for a person: the title, the importance, an
// example and the remedy. The code may be in small letters. For another code the error names the
// codes that there are, and wraps graph.ErrInvalid.
//
//test:by TestDescribe
func Describe(code string) (string, error) {
	for _, c := range Codes() {
		if strings.EqualFold(c.Code.String(), code) {
			return fmt.Sprintf("%s: %s\nImportance: %s\nExample: %s\nRemedy: %s\n", c.Code, c.Title, c.Importance, exampleNames[c.Code], c.Remedy), nil
		}
	}
	return "", fmt.Errorf("describe code %q: want OG001 to %s: %w", short(code), maxCode, graph.ErrInvalid)
}

// exampleNames has an example of each code.
var exampleNames = [...]string{
	MissingOwner:         "ConfigMap/shop/left has the owner Job.batch/shop/import, and no object has the UID of that job.",
	UnlistedOwner:        "Secret/shop/key has an owner of the kind Vault.vault.io, and the dump may not list vaults.",
	UnservedVersion:      "ConfigMap/shop/old names a Deployment of the version apps/v1beta1, and the server has apps/v1 alone.",
	UnresolvedOwner:      "Pod/shop/a has a reference for which the store found no scope.",
	OtherKind:            "ConfigMap/shop/a names ReplicaSet.apps/shop/cart, and the UID is that of a Deployment.",
	OtherScope:           "ConfigMap/payments/copy names Deployment.apps/payments/cart, and the UID is that of Deployment.apps/shop/cart.",
	OtherName:            "ConfigMap/shop/a names Deployment.apps/shop/trolley, and the UID is that of Deployment.apps/shop/cart.",
	BannedOwner:          "ConfigMap/shop/a has an Event as its owner.",
	UnservedKind:         "ConfigMap/shop/a names an owner of a definition that was removed.",
	LowerCaseKind:        "ConfigMap/shop/a names an owner of the kind deployment in place of Deployment.",
	ScopedOwner:          "PriorityClass.scheduling.k8s.io/critical has no namespace, and names Deployment.apps/shop/cart.",
	SelfReference:        "ConfigMap/shop/a has its own UID in an owner reference.",
	RepeatedReference:    "ConfigMap/shop/a names Deployment.apps/shop/cart twice.",
	TwoPlaces:            "ConfigMap/shop/a names one UID as Deployment.apps/shop/cart and as Deployment.apps/shop/trolley.",
	TwoControllers:       "Pod/shop/a has two references with the controller flag.",
	Malformed:            "ConfigMap/shop/a has a reference without a name.",
	Ring:                 "ConfigMap/shop/a owns ConfigMap/shop/b, and ConfigMap/shop/b owns ConfigMap/shop/a.",
	WaitingRing:          "Two objects in a foreground deletion block each other.",
	VoidBlock:            "Pod/shop/a blocks Deployment.apps/shop/cart, which is being deleted in the background.",
	HeldBlocker:          "Deployment.apps/shop/cart waits for Pod/shop/a, and the finalizer example.org/drain holds the pod.",
	OldMark:              "Pod/shop/a has had a deletion mark for three days.",
	NoHandler:            "Volume/shop/data carries the finalizer example.org/backup, and the program of that domain is gone.",
	TwoPropagations:      "Deployment.apps/shop/cart carries the finalizers foregroundDeletion and orphan.",
	SeveralKinds:         "One ingress is listed in the groups extensions and networking.k8s.io.",
	DuplicateUID:         "A restored copy of Deployment.apps/shop/cart has kept the UID under another name.",
	FanOut:               "One Deployment owns 40,000 objects.",
	Depth:                "A chain of owners has more levels than the bound.",
	LostOwner:            "ReplicaSet.apps/shop/cart-7bf has no owner, and all others of its kind have one.",
	LostController:       "Pod/shop/a has a second owner, and its controller is gone.",
	UnservedObject:       "The database has objects of a definition that was removed.",
	AbsentContainer:      "ConfigMap/blue/a is there, and Namespace/blue is absent.",
	UnqualifiedFinalizer: "A file has the finalizer backup in place of example.org/backup.",
	RefusingConstraint:   "The column projects.team_id takes no NULL and refers to the table teams, whose rows go with objects.",
	RemovingConstraint:   "The column projects.team_id refers to the table teams with ON DELETE CASCADE, and projects are objects of their own.",
	UnindexedConstraint:  "The column projects.team_id refers to the table teams, and no index begins with team_id.",
	CascadeBeside:        "task/shop/a has an unset reference to project/shop/web and a cascade reference to account/shop/ann.",
	RestrictRing:         "invoice/shop/a refers to order/shop/b with restrict, and order/shop/b refers to invoice/shop/a with restrict.",
	RestrictsAbsent:      "invoice/shop/a refers with restrict to customer/shop/ann, and no object has the UID of that customer.",
	DormantPolicy:        "Of 1,200 tasks, 900 have a cascade reference, and the collector runs without Config.Policies.",
}
