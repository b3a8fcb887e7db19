package io.volute.server.iam;

import io.volute.server.auth.policy.Principal;
import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityDetails;
import io.volute.server.identity.ManagedPolicy;
import io.volute.server.identity.PublicId;
import io.volute.server.identity.UserKey;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Slash;
import io.volute.server.s3.xml.XmlWriter;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.SortedMap;

/** Writes identities as elements of IAM's answers (IAM API Reference, "Data types"). */
final class IamXml {
    private IamXml() {}

    /** Returns the word for a kind in the names of elements and parameters. */
    static String title(Kind kind) {
        return switch (kind) {
            case USER -> "User";
            case GROUP -> "Group";
            case ROLE -> "Role";
        };
    }

    static String arn(Holder holder) {
        return Principal.arn(holder.kind().word(), holder.details().path(), holder.name());
    }

    static String arn(ManagedPolicy policy) {
        return policy.arn();
    }

    /** Returns the name of a policy without the rest of its ARN. */
    static String name(ManagedPolicy policy) {
        return policy.name().substring(policy.name().lastIndexOf('/') + 1);
    }

    /** Returns a document as answers have it. */
    static String encoded(String document) {
        return PercentCoding.encode(document, Slash.ENCODED);
    }

    static String date(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }

    /** Writes the fields of a holder that lists show. */
    static void holder(XmlWriter xml, Holder holder) {
        String title = title(holder.kind());
        xml.element("Path", holder.details().path());
        xml.element(title + "Name", holder.name());
        xml.element(title + "Id", PublicId.of(holder));
        xml.element("Arn", arn(holder));
        xml.element("CreateDate", date(holder.created()));
    }

    /**
     * Writes a user, group or role with the fields of its kind.
     *
     * @param boundary its permissions boundary
     */
    static void whole(XmlWriter xml, Holder holder, Optional<ManagedPolicy> boundary) {
        xml.begin(title(holder.kind()));
        member(xml, holder);
        if (boundary.isPresent()) {
            xml.begin("PermissionsBoundary").element("PermissionsBoundaryType", "Policy");
            xml.element("PermissionsBoundaryArn", arn(boundary.get())).end();
        }
        tags(xml, holder.details().tags());
        xml.end();
    }

    /** Writes the fields of a holder that is a member of a list. */
    static void member(XmlWriter xml, Holder holder) {
        holder(xml, holder);
        holder.trust()
                .ifPresent(
                        trust -> {
                            xml.element("AssumeRolePolicyDocument", encoded(trust));
                            description(xml, holder.details());
                            xml.element("MaxSessionDuration", holder.details().sessionSeconds());
                        });
    }

    private static void description(XmlWriter xml, IdentityDetails details) {
        if (!details.description().isEmpty()) {
            xml.element("Description", details.description());
        }
    }

    /**
     * Writes the fields of a managed policy.
     *
     * @param attachments number of holders that have it
     * @param boundaries number of holders that it limits
     */
    static void policy(XmlWriter xml, ManagedPolicy policy, long attachments, long boundaries) {
        xml.element("PolicyName", name(policy));
        xml.element("PolicyId", PublicId.of(policy));
        xml.element("Arn", arn(policy));
        xml.element("Path", policy.details().path());
        xml.element("DefaultVersionId", "v" + policy.version());
        xml.element("AttachmentCount", attachments);
        xml.element("PermissionsBoundaryUsageCount", boundaries);
        xml.element("IsAttachable", true);
        description(xml, policy.details());
        xml.element("CreateDate", date(policy.created()));
        xml.element("UpdateDate", date(policy.changed()));
    }

    /** Writes the fields of the version of a policy, without its document. */
    static void version(XmlWriter xml, ManagedPolicy policy) {
        xml.element("VersionId", "v" + policy.version());
        xml.element("IsDefaultVersion", true);
        xml.element("CreateDate", date(policy.changed()));
    }

    static void tags(XmlWriter xml, SortedMap<String, String> tags) {
        if (tags.isEmpty()) {
            return;
        }
        xml.begin("Tags");
        for (Entry<String, String> each : tags.entrySet()) {
            xml.begin("member");
            tag(xml, each);
            xml.end();
        }
        xml.end();
    }

    static void tag(XmlWriter xml, Entry<String, String> tag) {
        xml.element("Key", tag.getKey()).element("Value", tag.getValue());
    }

    /** Writes the fields of a key, without its secret. */
    static void key(XmlWriter xml, UserKey key) {
        xml.element("UserName", key.user());
        xml.element("AccessKeyId", key.accessKey());
        xml.element("Status", key.active() ? "Active" : "Inactive");
        xml.element("CreateDate", date(key.created()));
    }
}
