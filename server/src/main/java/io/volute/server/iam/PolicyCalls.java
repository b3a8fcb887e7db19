package io.volute.server.iam;

import io.volute.server.identity.Holder;
import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityStore;
import io.volute.server.identity.ManagedPolicy;
import io.volute.server.identity.PublicId;
import io.volute.server.query.QueryException;
import io.volute.server.s3.xml.XmlWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The actions about inline and managed policies. */
final class PolicyCalls {
    private static final String POLICY_NAME = "PolicyName";
    private static final String DOCUMENT = "PolicyDocument";

    private final IdentityStore identities;

    PolicyCalls(IdentityStore identities) {
        this.identities = identities;
    }

    // ---- inline policies

    void putInline(IamRequest request) throws IOException {
        setInline(request, Optional.of(request.needed(DOCUMENT)));
    }

    void deleteInline(IamRequest request) throws IOException {
        inline(request);
        setInline(request, Optional.empty());
    }

    private void setInline(IamRequest request, Optional<String> document) throws IOException {
        Holder holder = request.existing();
        identities.setInline(
                request.caller(),
                holder.kind(),
                holder.name(),
                request.needed(POLICY_NAME),
                document);
    }

    private static String inline(IamRequest request) {
        String name = request.needed(POLICY_NAME);
        return Optional.ofNullable(request.existing().inline().get(name))
                .orElseThrow(() -> IamRequest.noSuch(request.kindWord() + " policy", name));
    }

    void getInline(IamRequest request, XmlWriter xml) {
        String document = inline(request);
        xml.element(request.action().nameParameter(), request.name());
        xml.element(POLICY_NAME, request.needed(POLICY_NAME));
        xml.element(DOCUMENT, IamXml.encoded(document));
    }

    void listInline(IamRequest request, XmlWriter xml) {
        request.page()
                .write(
                        xml,
                        "PolicyNames",
                        request.existing().inline().keySet(),
                        name -> name,
                        XmlWriter::content);
    }

    // ---- attachments

    void attach(IamRequest request) throws IOException {
        Holder holder = request.existing();
        String arn = request.needed("PolicyArn");
        ManagedPolicy policy =
                IamRequest.policy(identities, arn)
                        .orElseThrow(() -> IamRequest.noSuch("policy", arn));
        if (!holder.policies().contains(policy.name())) {
            identities.setAttached(
                    request.caller(), holder.kind(), holder.name(), policy.name(), true);
        }
    }

    void detach(IamRequest request) throws IOException {
        Holder holder = request.existing();
        String arn = request.needed("PolicyArn");
        ManagedPolicy policy =
                IamRequest.policy(identities, arn)
                        .filter(each -> holder.policies().contains(each.name()))
                        .orElseThrow(() -> IamRequest.noSuch("attached policy", arn));
        identities.setAttached(
                request.caller(), holder.kind(), holder.name(), policy.name(), false);
    }

    void listAttached(IamRequest request, XmlWriter xml) {
        String prefix = request.get("PathPrefix").orElse("/");
        request.page()
                .write(
                        xml,
                        "AttachedPolicies",
                        request.existing().policies().stream()
                                .flatMap(name -> identities.policy(name).stream())
                                .filter(each -> each.details().path().startsWith(prefix))
                                .map(ManagedPolicy::name),
                        identities::policy,
                        (out, policy) -> {
                            out.element(POLICY_NAME, IamXml.name(policy));
                            out.element("PolicyArn", IamXml.arn(policy));
                        });
    }

    void listEntities(IamRequest request, XmlWriter xml) {
        ManagedPolicy policy = request.existingPolicy();
        String prefix = request.get("PathPrefix").orElse("/");
        Optional<String> filter = request.get("EntityFilter");
        List<PolicyUse> uses = PolicyUse.of(request).map(List::of).orElse(PolicyUse.ALL);
        List<Entity> entities = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (filter.isEmpty() || filter.get().equals(IamXml.title(kind))) {
                identities.holders(kind).stream()
                        .filter(each -> uses.stream().anyMatch(use -> use.is(policy, each)))
                        .filter(each -> each.details().path().startsWith(prefix))
                        .map(each -> new Entity(kind, each.name(), PublicId.of(each)))
                        .forEach(entities::add);
            }
        }
        IamPage page = request.page();
        List<Entity> rest = page.rest(entities.stream(), Entity::place);
        int count = Math.min(page.max(), rest.size());
        for (Kind kind : Kind.values()) {
            String title = IamXml.title(kind);
            xml.begin("Policy" + title + "s");
            for (Entity each : rest.subList(0, count)) {
                if (each.kind() == kind) {
                    xml.begin("member").element(title + "Name", each.name());
                    xml.element(title + "Id", each.id()).end();
                }
            }
            xml.end();
        }
        IamPage.end(xml, rest, count, Entity::place);
    }

    /** A user, group or role without its documents. */
    private record Entity(Kind kind, String name, String id) {
        String place() {
            return kind.word() + "/" + name;
        }
    }

    // ---- managed policies

    void create(IamRequest request, XmlWriter xml) throws IOException {
        identities.addPolicy(
                request.caller(), request.name(), request.needed(DOCUMENT), request.details());
        write(xml, stored(request.name()));
    }

    /** Returns a policy that was there a moment ago. */
    private ManagedPolicy stored(String name) {
        return identities.policy(name).orElseThrow(() -> IamRequest.noSuch("policy", name));
    }

    void get(IamRequest request, XmlWriter xml) {
        write(xml, request.existingPolicy());
    }

    private void write(XmlWriter xml, ManagedPolicy policy) {
        xml.begin("Policy");
        write(xml, policy, count(PolicyUse.PERMISSIONS), count(PolicyUse.BOUNDARY));
        IamXml.tags(xml, policy.details().tags());
        xml.end();
    }

    private static void write(
            XmlWriter xml,
            ManagedPolicy policy,
            Map<String, Long> attachments,
            Map<String, Long> boundaries) {
        String name = policy.name();
        IamXml.policy(
                xml, policy, attachments.getOrDefault(name, 0L), boundaries.getOrDefault(name, 0L));
    }

    /** Returns how many holders use each policy so; none of a policy that is not in it. */
    private Map<String, Long> count(PolicyUse use) {
        Map<String, Long> counts = new HashMap<>();
        for (Kind kind : Kind.values()) {
            for (Holder holder : identities.holders(kind)) {
                use.of(holder).forEach(name -> counts.merge(name, 1L, Long::sum));
            }
        }
        return counts;
    }

    void list(IamRequest request, XmlWriter xml) {
        String scope = request.get("Scope").orElse("All");
        List<ManagedPolicy> policies = new ArrayList<>();
        switch (scope) {
            case "All" -> {
                identities.policies().forEach(each -> policies.add(each.withoutDocument()));
                policies.addAll(identities.builtInPolicies());
            }
            case "Local" ->
                    identities.policies().forEach(each -> policies.add(each.withoutDocument()));
            case "AWS" -> policies.addAll(identities.builtInPolicies());
            default -> throw QueryException.invalid("Scope is All, AWS or Local.");
        }
        Map<String, Long> attachments = count(PolicyUse.PERMISSIONS);
        Map<String, Long> boundaries = count(PolicyUse.BOUNDARY);
        boolean isOnlyAttached = request.flag("OnlyAttached");
        Optional<PolicyUse> use =
                PolicyUse.of(request)
                        .or(
                                () ->
                                        isOnlyAttached
                                                ? Optional.of(PolicyUse.PERMISSIONS)
                                                : Optional.empty());
        Map<String, Long> used =
                use.equals(Optional.of(PolicyUse.BOUNDARY)) ? boundaries : attachments;
        policies.removeIf(
                each ->
                        !each.details().path().startsWith(request.name())
                                || use.isPresent() && !used.containsKey(each.name()));
        request.page()
                .write(
                        xml,
                        "Policies",
                        policies,
                        ManagedPolicy::name,
                        (out, policy) -> write(out, policy, attachments, boundaries));
    }

    void delete(IamRequest request) throws IOException {
        identities.removePolicy(request.caller(), request.existingPolicy().name());
    }

    void createVersion(IamRequest request, XmlWriter xml) throws IOException {
        if (!request.flag("SetAsDefault")) {
            throw QueryException.notImplemented(
                    "This server keeps only the newest version of a policy, which is the default:"
                            + " SetAsDefault must be true.");
        }
        String name = request.existingPolicy().name();
        identities.replacePolicy(request.caller(), name, request.needed(DOCUMENT));
        xml.begin("PolicyVersion");
        IamXml.version(xml, stored(name));
        xml.end();
    }

    void getVersion(IamRequest request, XmlWriter xml) {
        ManagedPolicy policy = request.existingPolicy();
        String version = request.needed("VersionId");
        if (!version.equals("v" + policy.version())) {
            throw IamRequest.noSuch("policy version", version);
        }
        xml.begin("PolicyVersion");
        xml.element("Document", IamXml.encoded(policy.document()));
        IamXml.version(xml, policy);
        xml.end();
    }

    void listVersions(IamRequest request, XmlWriter xml) {
        request.page()
                .write(
                        xml,
                        "Versions",
                        List.of(request.existingPolicy()),
                        ManagedPolicy::name,
                        IamXml::version);
    }
}
