package io.volute.server.iam;

import io.volute.server.Limits;
import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityDetails;
import io.volute.server.identity.IdentityStore;
import io.volute.server.query.QueryException;
import io.volute.server.s3.xml.XmlWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The actions about users, groups and roles, and about the tags of all identities. */
final class HolderCalls {
    private final IdentityStore identities;

    HolderCalls(IdentityStore identities) {
        this.identities = identities;
    }

    private static Kind kind(IamRequest request) {
        return request.action().kind().orElseThrow();
    }

    void create(IamRequest request, XmlWriter xml) throws IOException {
        Kind kind = kind(request);
        IdentityDetails details = request.details();
        Optional<String> trust = Optional.empty();
        if (kind == Kind.ROLE) {
            trust = Optional.of(request.needed("AssumeRolePolicyDocument"));
            if (request.get("MaxSessionDuration").isEmpty()) {
                details = details.withSessionSeconds(Limits.ROLE_SECONDS_DEFAULT);
            }
        }
        details = details.withBoundary(request.newBoundary(identities));
        identities.add(request.caller(), kind, request.name(), trust, details);
        write(xml, stored(kind, request.name()));
    }

    private void write(XmlWriter xml, Holder holder) {
        IamXml.whole(xml, holder, holder.details().boundary().flatMap(identities::policy));
    }

    /** Returns a holder that was there a moment ago. */
    private Holder stored(Kind kind, String name) {
        return identities
                .holder(kind, name)
                .orElseThrow(() -> IamRequest.noSuch(kind.word(), name));
    }

    void get(IamRequest request, XmlWriter xml) {
        write(xml, request.existing());
    }

    void list(IamRequest request, XmlWriter xml) {
        Kind kind = kind(request);
        request.page()
                .write(
                        xml,
                        IamXml.title(kind) + "s",
                        identities.holders(kind).stream()
                                .filter(each -> each.details().path().startsWith(request.name()))
                                .map(Holder::name),
                        name -> identities.holder(kind, name),
                        IamXml::member);
    }

    void updateUser(IamRequest request) throws IOException {
        String name = request.existing().name();
        if (request.get("NewUserName").filter(other -> !other.equals(name)).isPresent()) {
            throw QueryException.notImplemented(
                    "A user keeps the name: signed history and policies refer to it. Create another"
                            + " user.");
        }
        String path = request.path("NewPath").orElse(request.existing().details().path());
        set(request, details -> details.withPath(path));
    }

    void updateGroup(IamRequest request) throws IOException {
        Holder group = request.existing();
        identities.moveGroup(
                request.caller(),
                group.name(),
                request.get("NewGroupName").orElse(group.name()),
                request.path("NewPath").orElse(group.details().path()));
    }

    void updateRole(IamRequest request) throws IOException {
        set(request, request::described);
    }

    void describeRole(IamRequest request, XmlWriter xml) throws IOException {
        set(request, request::described);
        write(xml, stored(Kind.ROLE, request.existing().name()));
    }

    void putBoundary(IamRequest request) throws IOException {
        request.needed(IamRequest.BOUNDARY);
        identities.setBoundary(
                request.caller(),
                kind(request),
                request.existing().name(),
                request.newBoundary(identities));
    }

    void deleteBoundary(IamRequest request) throws IOException {
        Holder holder = request.existing();
        if (holder.details().boundary().isPresent()) {
            identities.setBoundary(
                    request.caller(), holder.kind(), holder.name(), Optional.empty());
        }
    }

    void updateTrust(IamRequest request) throws IOException {
        identities.setTrust(
                request.caller(), request.existing().name(), request.needed("PolicyDocument"));
    }

    private void set(IamRequest request, UnaryOperator<IdentityDetails> making) throws IOException {
        if (request.action().kind().isPresent()) {
            identities.setDetails(
                    request.caller(), kind(request), request.existing().name(), making);
        } else {
            identities.setPolicyDetails(request.caller(), request.existingPolicy().name(), making);
        }
    }

    void delete(IamRequest request) throws IOException {
        identities.removeBare(request.caller(), kind(request), request.existing().name());
    }

    void tag(IamRequest request) throws IOException {
        SortedMap<String, String> more = request.tags();
        set(
                request,
                details -> {
                    SortedMap<String, String> tags = new TreeMap<>(details.tags());
                    tags.putAll(more);
                    return details.withTags(IamRequest.checked(tags));
                });
    }

    void untag(IamRequest request) throws IOException {
        List<String> keys = request.tagKeys();
        set(
                request,
                details -> {
                    SortedMap<String, String> tags = new TreeMap<>(details.tags());
                    tags.keySet().removeAll(keys);
                    return details.withTags(tags);
                });
    }

    void listTags(IamRequest request, XmlWriter xml) {
        IdentityDetails details =
                request.action().kind().isPresent()
                        ? request.existing().details()
                        : request.existingPolicy().details();
        request.page().write(xml, "Tags", details.tags().entrySet(), Entry::getKey, IamXml::tag);
    }

    /** Answers about things that this server does not have: nobody has one. */
    void answerNone(IamRequest request, XmlWriter xml) {
        if (request.action().kind().isPresent()) {
            request.existing();
        }
        String list =
                switch (request.action()) {
                    case LIST_MFA_DEVICES -> "MFADevices";
                    case LIST_SSH_PUBLIC_KEYS -> "SSHPublicKeys";
                    case LIST_SIGNING_CERTIFICATES -> "Certificates";
                    case LIST_SERVICE_SPECIFIC_CREDENTIALS -> "ServiceSpecificCredentials";
                    case LIST_INSTANCE_PROFILES_FOR_ROLE -> "InstanceProfiles";
                    case LIST_VIRTUAL_MFA_DEVICES -> "VirtualMFADevices";
                    case LIST_ACCOUNT_ALIASES -> "AccountAliases";
                    case LIST_SAML_PROVIDERS -> "SAMLProviderList";
                    default -> throw IamRequest.noSuch("login profile", request.name());
                };
        request.page().write(xml, list, List.<Holder>of(), Holder::name, IamXml::member);
    }

    void summary(XmlWriter xml) {
        xml.begin("SummaryMap");
        for (Kind kind : Kind.values()) {
            String title = IamXml.title(kind);
            entry(xml, title + "s", identities.holders(kind).size());
            entry(xml, title + "sQuota", Limits.IDENTITIES_MAX);
            entry(xml, title + "PolicySizeQuota", Limits.IDENTITY_POLICY_CHARS_MAX);
        }
        entry(xml, "Policies", identities.policies().size());
        entry(xml, "PoliciesQuota", Limits.IDENTITIES_MAX);
        entry(xml, "PolicySizeQuota", Limits.IDENTITY_POLICY_CHARS_MAX);
        entry(xml, "AccessKeysPerUserQuota", Limits.USER_KEYS_MAX);
        xml.end();
    }

    private static void entry(XmlWriter xml, String key, int value) {
        xml.begin("entry").element("key", key).element("value", value).end();
    }

    // ---- groups

    void getGroup(IamRequest request, XmlWriter xml) {
        Holder group = request.existing();
        write(xml, group);
        request.page()
                .write(
                        xml,
                        "Users",
                        group.members().stream(),
                        name -> identities.holder(Kind.USER, name),
                        IamXml::member);
    }

    void listGroupsOfUser(IamRequest request, XmlWriter xml) {
        List<Holder> groups = identities.groupsOf(request.existing().name());
        request.page().write(xml, "Groups", groups, Holder::name, IamXml::member);
    }

    void setMember(IamRequest request, boolean isMember) throws IOException {
        Holder group = request.existing();
        String named = request.needed("UserName");
        Holder user =
                IamRequest.holder(identities, Kind.USER, named)
                        .filter(each -> isMember || group.members().contains(each.name()))
                        .orElseThrow(() -> IamRequest.noSuch("user", named));
        identities.setMember(request.caller(), group.name(), user.name(), isMember);
    }
}
