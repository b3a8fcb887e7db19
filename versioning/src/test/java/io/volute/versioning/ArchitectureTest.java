package io.volute.versioning;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The dependencies that the object store may have. Think hard before changing this. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute");

    private static final String ROOT = "io.volute.versioning";

    /** The packages of this module; each uses only those that follow it. The last is the bottom. */
    private static final List<String> FLOORS =
            List.of(
                    ROOT + ".cubes",
                    ROOT + ".catalog",
                    ROOT + ".move",
                    ROOT + ".restore",
                    ROOT + ".history",
                    ROOT + ".read",
                    ROOT + ".bucket",
                    ROOT + ".write",
                    ROOT + ".outbox",
                    ROOT + ".event",
                    ROOT + ".state",
                    ROOT + ".provenance.audit",
                    ROOT + ".provenance",
                    ROOT + ".commit",
                    ROOT + ".body",
                    ROOT + ".rows",
                    ROOT,
                    ROOT + ".value",
                    ROOT + ".causality");

    /** Opening a store wires all floors together, so its factory alone reaches up. */
    @Test
    void aPackageUsesOnlyPackagesBelowIt() {
        for (int i = 1; i < FLOORS.size(); i++) {
            noClasses()
                    .that()
                    .resideInAPackage(FLOORS.get(i))
                    .and()
                    .doNotBelongToAnyOf(ObjectStores.class)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(FLOORS.subList(0, i).toArray(String[]::new))
                    .check(CLASSES);
        }
    }

    @Test
    void everyPackageHasItsFloor() {
        Set<String> packages = new TreeSet<>();
        for (JavaClass each : CLASSES) {
            if (each.getPackageName().startsWith(ROOT)) {
                packages.add(each.getPackageName());
            }
        }
        assertThat(packages).containsExactlyInAnyOrderElementsOf(FLOORS);
    }

    @Test
    void knowsNothingAbove() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.versioning..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.server..",
                        "io.volute.admin..",
                        "io.netty..",
                        "javax.xml..",
                        "org.rocksdb..",
                        "java.nio.channels..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void usesTheStorageCoreByItsOuterPackages() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.versioning..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.volute.storage..")
                                .and(
                                        resideOutsideOfPackages(
                                                "io.volute.storage",
                                                "io.volute.storage.heap",
                                                "io.volute.storage.report")))
                .check(CLASSES);
    }
}
