package io.volute.server.iam;

import io.volute.server.identity.Holder;
import io.volute.server.identity.ManagedPolicy;
import io.volute.server.query.QueryException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The use of a managed policy by a holder (IAM API Reference, {@code PolicyUsageFilter}). */
enum PolicyUse {
    /** It gives permissions to the holder. */
    PERMISSIONS("PermissionsPolicy"),
    /** It limits the permissions of the holder. */
    BOUNDARY("PermissionsBoundary");

    static final List<PolicyUse> ALL = List.of(values());

    private final String word;

    PolicyUse(String word) {
        this.word = word;
    }

    /** Returns the use that a request names; empty for every use. */
    static Optional<PolicyUse> of(IamRequest request) {
        return request.get("PolicyUsageFilter").map(PolicyUse::named);
    }

    private static PolicyUse named(String word) {
        return ALL.stream()
                .filter(use -> use.word.equals(word))
                .findFirst()
                .orElseThrow(
                        () ->
                                QueryException.invalid(
                                        "PolicyUsageFilter is PermissionsPolicy or"
                                                + " PermissionsBoundary."));
    }

    /** Returns the names of the policies that a holder uses so. */
    Collection<String> of(Holder holder) {
        return switch (this) {
            case PERMISSIONS -> holder.policies();
            case BOUNDARY -> holder.details().boundary().stream().toList();
        };
    }

    /** Returns whether a holder uses a policy so. */
    boolean is(ManagedPolicy policy, Holder holder) {
        return of(holder).contains(policy.name());
    }
}
