// The mark of templates.
export module pecs.core:prefab;

export namespace pecs {

/// Marks an entity as a template that copies are made of. Queries pass it by unless a term names this tag; copies made by
/// `spawn_from` do not have it.
struct prefab {};

} // namespace pecs
