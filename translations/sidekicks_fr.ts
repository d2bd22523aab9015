<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr_FR">
<context>
    <name>Actions</name>
    <message>
        <source>This failed unexpectedly ({reason}); the log says more.</source>
        <translation>Échec inattendu ({reason}) ; le journal en dit plus.</translation>
    </message>
</context>
<context>
    <name>AgentCommands</name>
    <message>
        <source>The terminal could not be opened.</source>
        <translation>Le terminal n’a pas pu être ouvert.</translation>
    </message>
</context>
<context>
    <name>AgentDock</name>
    <message>
        <source>{megabytes} MB</source>
        <translation>{megabytes} Mo</translation>
    </message>
    <message>
        <source> · {percent} % of a processor</source>
        <translation> · {percent} % d’un processeur</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>Protocole</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Journaux</translation>
    </message>
    <message>
        <source>This agent has written nothing yet.</source>
        <translation>Cet agent n’a encore rien écrit.</translation>
    </message>
    <message>
        <source>Nothing is written down: `protocolLog: on` in the agent&apos;s settings does it.</source>
        <translation>Rien n’est consigné : `protocolLog: on` dans les réglages de l’agent le fait.</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Réglages…</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Tout copier</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
</context>
<context>
    <name>AgentRow</name>
    <message>
        <source>restart to apply changes</source>
        <translation>à redémarrer</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Démarrer</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>Redémarrer</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>Se connecter…</translation>
    </message>
    <message>
        <source>Logs…</source>
        <translation>Journal…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Réglages…</translation>
    </message>
</context>
<context>
    <name>AgentState</name>
    <message>
        <source>stopped</source>
        <translation>arrêté</translation>
    </message>
    <message>
        <source>starting…</source>
        <translation>démarre…</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>prêt</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>occupé</translation>
    </message>
    <message>
        <source>error</source>
        <translation>erreur</translation>
    </message>
</context>
<context>
    <name>AgentsPanel</name>
    <message>
        <source>Agents</source>
        <translation>Agents</translation>
    </message>
</context>
<context>
    <name>Alerts</name>
    <message>
        <source>Configuration, line {line}: {problem}</source>
        <translation>Configuration, ligne {line} : {problem}</translation>
    </message>
    <message>
        <source>The configuration has problems (line {line}: {problem}).</source>
        <translation>La configuration a des problèmes (ligne {line} : {problem}).</translation>
    </message>
    <message>
        <source>The configuration has problems (line {line}: {problem}). The last valid one stays in force.</source>
        <translation>La configuration a des problèmes (ligne {line} : {problem}). La dernière valide reste en vigueur.</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>Ouvrir les réglages</translation>
    </message>
    <message>
        <source>{agent} asks for permission in {channel}: {what}</source>
        <translation>{agent} demande une permission dans {channel} : {what}</translation>
    </message>
    <message numerus="yes">
        <source>(and %n more)</source>
        <translation>
            <numerusform>(et %n autre)</numerusform>
            <numerusform>(et %n autres)</numerusform>
        </translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Afficher</translation>
    </message>
</context>
<context>
    <name>Announcing</name>
    <message>
        <source>{agent} asks you</source>
        <translation>{agent} vous demande quelque chose</translation>
    </message>
    <message>
        <source>{agent} could not finish</source>
        <translation>{agent} n’a pas pu terminer</translation>
    </message>
    <message>
        <source>{agent} has answered</source>
        <translation>{agent} a répondu</translation>
    </message>
</context>
<context>
    <name>Archive</name>
    <message>
        <source>Export the conversation</source>
        <translation>Exporter la conversation</translation>
    </message>
    <message>
        <source>Import a conversation</source>
        <translation>Importer une conversation</translation>
    </message>
    <message>
        <source>Exported conversations (*.json)</source>
        <translation>Conversations exportées (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Tous les fichiers (*)</translation>
    </message>
</context>
<context>
    <name>Attachments</name>
    <message>
        <source>Remove {name}</source>
        <translation>Retirer {name}</translation>
    </message>
</context>
<context>
    <name>AuthorLine</name>
    <message>
        <source>queued</source>
        <translation>en attente</translation>
    </message>
    <message>
        <source>answering…</source>
        <translation>répond…</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 étape</translation>
    </message>
    <message>
        <source>{count} steps</source>
        <translation>{count} étapes</translation>
    </message>
</context>
<context>
    <name>ChannelDialog</name>
    <message>
        <source>Edit channel</source>
        <translation>Modifier le canal</translation>
    </message>
    <message>
        <source>New channel</source>
        <translation>Nouveau canal</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>for example parser-repair</source>
        <translation>par exemple reparer-analyseur</translation>
    </message>
    <message>
        <source>Description (optional)</source>
        <translation>Description (facultative)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>Create channel</source>
        <translation>Créer le canal</translation>
    </message>
    <message>
        <source>your home folder</source>
        <translation>votre dossier personnel</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Choisir…</translation>
    </message>
    <message>
        <source>Working folder of the agents</source>
        <translation>Dossier de travail des agents</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>Membres</translation>
    </message>
</context>
<context>
    <name>Checklist</name>
    <message>
        <source>Plan · {done} of {count}</source>
        <translation>Plan · {done} sur {count}</translation>
    </message>
    <message>
        <source>to do</source>
        <translation>à faire</translation>
    </message>
    <message>
        <source>in progress</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fait</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Delete {name}?</source>
        <translation>Supprimer {name} ?</translation>
    </message>
    <message>
        <source>Its messages are deleted for good, and an answer that is running is stopped. Files stay.</source>
        <translation>Ses messages sont supprimés définitivement, et une réponse en cours est arrêtée. Les fichiers restent.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Supprimer</translation>
    </message>
    <message>
        <source>{agent}: {problem}</source>
        <translation>{agent} : {problem}</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>Ouvrir les réglages</translation>
    </message>
    <message>
        <source>This link is not opened: it leads neither to the web nor to a mail address ({url}).</source>
        <translation>Ce lien n’est pas ouvert : il ne mène ni au web ni à une adresse électronique ({url}).</translation>
    </message>
    <message>
        <source>Open this link?</source>
        <translation>Ouvrir ce lien ?</translation>
    </message>
    <message>
        <source>It leads to:</source>
        <translation>Il mène à :</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Message {name}   (/ command)</source>
        <translation>Écrire à {name}   (/ commande)</translation>
    </message>
    <message>
        <source>Message {name}   (@ mention · / command)</source>
        <translation>Écrire dans {name}   (@ mention · / commande)</translation>
    </message>
    <message>
        <source>There is nobody to write to yet: add an agent in the settings</source>
        <translation>Il n’y a encore personne à qui écrire : ajoutez un agent dans les réglages</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Message</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>Stop the answer and drop what waits (Esc)</source>
        <translation>Arrêter la réponse et abandonner ce qui attend (Échap)</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>Envoyer (Entrée)</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Envoyer</translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) queued</source>
        <translation>
            <numerusform>%n message en attente</numerusform>
            <numerusform>%n messages en attente</numerusform>
        </translation>
    </message>
    <message>
        <source>Image {number}</source>
        <translation>Image {number}</translation>
    </message>
</context>
<context>
    <name>ConfirmDialog</name>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
</context>
<context>
    <name>ConversationModel</name>
    <message>
        <source>You</source>
        <translation>Vous</translation>
    </message>
</context>
<context>
    <name>ConversationView</name>
    <message>
        <source>Messages</source>
        <translation>Messages</translation>
    </message>
</context>
<context>
    <name>ConversationsModel</name>
    <message>
        <source>Direct</source>
        <translation>Direct</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>répond</translation>
    </message>
    <message numerus="yes">
        <source>%n permission(s) to answer</source>
        <translation>
            <numerusform>%n permission à donner</numerusform>
            <numerusform>%n permissions à donner</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n unread message(s)</source>
        <translation>
            <numerusform>%n message non lu</numerusform>
            <numerusform>%n messages non lus</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation>Copier le code</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Copié</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something in Sidekicks failed</source>
        <translation>Une erreur s’est produite dans Sidekicks</translation>
    </message>
    <message>
        <source>Your messages and the finished answers are kept, and what still works goes on. If it does not, restart: drafts and the open conversation come back. The log is {path}; nothing is sent anywhere.</source>
        <translation>Vos messages et les réponses terminées sont conservés, et ce qui fonctionne encore continue. Sinon, redémarrez : les brouillons et la conversation ouverte reviennent. Le journal est {path} ; rien n’est envoyé nulle part.</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Détails</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Copier les détails</translation>
    </message>
    <message>
        <source>Open the log</source>
        <translation>Ouvrir le journal</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>Redémarrer</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Continuer</translation>
    </message>
</context>
<context>
    <name>Day</name>
    <message>
        <source>dddd d MMMM</source>
        <translation>dddd d MMMM</translation>
    </message>
    <message>
        <source>dddd d MMMM yyyy</source>
        <translation>dddd d MMMM yyyy</translation>
    </message>
</context>
<context>
    <name>DayLine</name>
    <message>
        <source>New</source>
        <translation>Nouveau</translation>
    </message>
</context>
<context>
    <name>Destinations</name>
    <message>
        <source>channel</source>
        <translation>canal</translation>
    </message>
    <message>
        <source>something new</source>
        <translation>du nouveau</translation>
    </message>
    <message>
        <source>command</source>
        <translation>commande</translation>
    </message>
    <message>
        <source>New channel…</source>
        <translation>Nouveau canal…</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>Rechercher dans cette conversation</translation>
    </message>
    <message>
        <source>Search everywhere</source>
        <translation>Rechercher partout</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Import a conversation…</source>
        <translation>Importer une conversation…</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Raccourcis clavier</translation>
    </message>
    <message>
        <source>Connect a bigger model</source>
        <translation>Connecter un plus gros modèle</translation>
    </message>
</context>
<context>
    <name>DiffView</name>
    <message>
        <source>{count} more lines</source>
        <translation>{count} lignes de plus</translation>
    </message>
    <message>
        <source>Changes to {path}</source>
        <translation>Changements de {path}</translation>
    </message>
</context>
<context>
    <name>Duration</name>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} min {seconds} s</translation>
    </message>
</context>
<context>
    <name>EmptyTexts</name>
    <message>
        <source>No agent is configured</source>
        <translation>Aucun agent n’est configuré</translation>
    </message>
    <message>
        <source>Agents stand in one file: a name and the command that starts it are enough.</source>
        <translation>Les agents sont décrits dans un seul fichier : un nom et la commande qui le lance suffisent.</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>Ouvrir les réglages</translation>
    </message>
    <message>
        <source>Runs on this machine: on the model server it finds, otherwise on SmolLM2 135M, embedded: small, for trying things out.</source>
        <translation>Tourne sur cette machine : sur le serveur de modèles qu’il trouve, sinon sur SmolLM2 135M, intégré : petit, pour essayer.</translation>
    </message>
    <message>
        <source>Connect a bigger model…</source>
        <translation>Connecter un plus grand modèle…</translation>
    </message>
    <message>
        <source>Write a message: the agent is started by itself.</source>
        <translation>Écrivez un message : l’agent démarre tout seul.</translation>
    </message>
    <message>
        <source>{agent} is no longer configured</source>
        <translation>{agent} n’est plus configuré</translation>
    </message>
    <message>
        <source>To write to it again, bring it back in the settings.</source>
        <translation>Pour lui écrire à nouveau, remettez-le dans les réglages.</translation>
    </message>
    <message>
        <source>Write a message. Mention an agent with @ to say who should answer.</source>
        <translation>Écrivez un message. Mentionnez un agent avec @ pour dire qui doit répondre.</translation>
    </message>
    <message>
        <source>Nobody is in this channel yet. Mention an agent with @ and it joins.</source>
        <translation>Personne n’est encore dans ce canal. Mentionnez un agent avec @ et il le rejoint.</translation>
    </message>
    <message>
        <source>{agent} does not run</source>
        <translation>{agent} ne tourne pas</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>Show logs</source>
        <translation>Voir le journal</translation>
    </message>
</context>
<context>
    <name>Ending</name>
    <message>
        <source>Dropped by Stop before it was sent.</source>
        <translation>Abandonné par Arrêter avant d’être envoyé.</translation>
    </message>
    <message>
        <source>{agent} could not finish: {error}</source>
        <translation>{agent} n’a pas pu finir : {error}</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Arrêté.</translation>
    </message>
    <message>
        <source>The answer reached the model&apos;s limit and was cut off.</source>
        <translation>La réponse a atteint la limite du modèle et a été coupée.</translation>
    </message>
    <message>
        <source>{agent} stopped after the most steps one turn may take.</source>
        <translation>{agent} s’est arrêté après le plus grand nombre d’étapes permis en un tour.</translation>
    </message>
    <message>
        <source>{agent} refused to answer this.</source>
        <translation>{agent} a refusé de répondre.</translation>
    </message>
    <message>
        <source>This message was not answered.</source>
        <translation>Ce message n’a pas reçu de réponse.</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Nothing in what is loaded</source>
        <translation>Rien dans ce qui est chargé</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Aucun résultat</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} sur {count}</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>Rechercher dans cette conversation</translation>
    </message>
    <message>
        <source>The one before (Enter)</source>
        <translation>Le précédent (Entrée)</translation>
    </message>
    <message>
        <source>The next one (Shift+Enter)</source>
        <translation>Le suivant (Maj+Entrée)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Fermer (Échap)</translation>
    </message>
</context>
<context>
    <name>FoldLine</name>
    <message>
        <source>Thinking…</source>
        <translation>Réfléchit…</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>A réfléchi</translation>
    </message>
    <message>
        <source>Thought for {duration}</source>
        <translation>A réfléchi pendant {duration}</translation>
    </message>
</context>
<context>
    <name>FormDialog</name>
    <message>
        <source>{agent} asks</source>
        <translation>{agent} demande</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>Refuser</translation>
    </message>
    <message>
        <source>Open the link</source>
        <translation>Ouvrir le lien</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Envoyer</translation>
    </message>
    <message>
        <source>{field} (optional)</source>
        <translation>{field} (facultatif)</translation>
    </message>
</context>
<context>
    <name>Guide</name>
    <message>
        <source>Connect a bigger model</source>
        <translation>Connecter un plus grand modèle</translation>
    </message>
    <message>
        <source>**Mini Me finds a model server by itself** when one runs on this machine: llama.cpp, Ollama, LM Studio or Docker Model Runner. Start one, restart Mini Me in the list of agents, and it answers from there.

**To name a server**, add this to the entry of Mini Me in the settings, below `args`. Save, and restart Mini Me:

```
    env:
      MM_PROVIDER: openai
      MM_BASE_URL: http://127.0.0.1:8080/v1
      MM_MODEL: qwen3-8b
```

If the server wants a key, set `MM_API_KEY` or `OPENAI_API_KEY` in the environment that Sidekicks is started from.

**Without a server**, any `.gguf` file runs. In a terminal: `mm model add FILE`, then `mm model use NAME`.</source>
        <translation>**Mini Me trouve tout seul un serveur de modèles** quand il y en a un sur cette machine : llama.cpp, Ollama, LM Studio ou Docker Model Runner. Lancez-en un, redémarrez Mini Me dans la liste des agents, et il répond avec lui.

**Pour nommer un serveur**, ajoutez ceci à l’entrée de Mini Me dans les réglages, sous `args`. Enregistrez, et redémarrez Mini Me :

```
    env:
      MM_PROVIDER: openai
      MM_BASE_URL: http://127.0.0.1:8080/v1
      MM_MODEL: qwen3-8b
```

Si le serveur demande une clé, définissez `MM_API_KEY` ou `OPENAI_API_KEY` dans l’environnement d’où Sidekicks est lancé.

**Sans serveur**, tout fichier `.gguf` convient. Dans un terminal : `mm model add FICHIER`, puis `mm model use NOM`.</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Raccourcis clavier</translation>
    </message>
    <message>
        <source>- **Enter, Shift+Enter** — send, break the line
- **Up** — what you wrote before
- **Esc** — stop the answer
- **Ctrl+K** — go to any conversation, agent or command
- **Ctrl+F** — find in this conversation; F3 or Enter goes back, Shift+F3 or Shift+Enter on
- **Ctrl+Shift+F** — search in all that was said
- **Ctrl+1 … Ctrl+9** — the first nine conversations
- **Alt+Up, Alt+Down** — the next conversation with something new
- **Alt+Shift+Up, Alt+Shift+Down, F2, Delete** — in the list: move, edit, delete a conversation
- **Ctrl+N** — new channel
- **Ctrl+,** — settings
- **Ctrl++, Ctrl+-, Ctrl+0** — larger, smaller, normal size
- **F1** — this list
- **Ctrl+Q** — quit
</source>
        <translation>- **Entrée, Maj+Entrée** — envoyer, aller à la ligne
- **Haut** — ce que vous avez écrit avant
- **Échap** — arrêter la réponse
- **Ctrl+K** — aller à une conversation, un agent ou une commande
- **Ctrl+F** — rechercher dans cette conversation ; F3 ou Entrée recule, Maj+F3 ou Maj+Entrée avance
- **Ctrl+Maj+F** — rechercher dans tout ce qui a été dit
- **Ctrl+1 … Ctrl+9** — les neuf premières conversations
- **Alt+Haut, Alt+Bas** — la prochaine conversation où il y a du nouveau
- **Alt+Maj+Haut, Alt+Maj+Bas, F2, Suppr** — dans la liste : déplacer, modifier, supprimer une conversation
- **Ctrl+N** — nouveau canal
- **Ctrl+,** — réglages
- **Ctrl++, Ctrl+-, Ctrl+0** — plus grand, plus petit, taille normale
- **F1** — cette liste
- **Ctrl+Q** — quitter
</translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Add an agent to the channel</source>
        <translation>Ajouter un agent au canal</translation>
    </message>
    <message>
        <source>Add an agent</source>
        <translation>Ajouter un agent</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Plus</translation>
    </message>
    <message>
        <source>All agents are members</source>
        <translation>Tous les agents sont membres</translation>
    </message>
    <message>
        <source>Configure agents…</source>
        <translation>Configurer les agents…</translation>
    </message>
    <message>
        <source>Sessions…</source>
        <translation>Sessions…</translation>
    </message>
    <message>
        <source>Logs…</source>
        <translation>Journal…</translation>
    </message>
    <message>
        <source>Remove from the channel</source>
        <translation>Retirer du canal</translation>
    </message>
    <message>
        <source>Find…</source>
        <translation>Rechercher…</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>Exporter en Markdown…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>Exporter en JSON…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importer…</translation>
    </message>
    <message>
        <source>Edit channel…</source>
        <translation>Modifier le canal…</translation>
    </message>
    <message>
        <source>Delete conversation…</source>
        <translation>Supprimer la conversation…</translation>
    </message>
</context>
<context>
    <name>JumpButton</name>
    <message>
        <source>{count} new</source>
        <translation>{count} nouveaux</translation>
    </message>
    <message>
        <source>Jump to the latest message</source>
        <translation>Aller au dernier message</translation>
    </message>
    <message>
        <source>Jump to the latest message, {count} new</source>
        <translation>Aller au dernier message, {count} nouveaux</translation>
    </message>
</context>
<context>
    <name>LoginDialog</name>
    <message>
        <source>Sign in to {agent}</source>
        <translation>Connexion à {agent}</translation>
    </message>
    <message>
        <source>How do you want to sign in?</source>
        <translation>Comment voulez-vous vous connecter ?</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Commande</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Open a terminal</source>
        <translation>Ouvrir un terminal</translation>
    </message>
    <message>
        <source>I have signed in</source>
        <translation>Je suis connecté</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Signing in; the agent may open a browser or ask you something…</source>
        <translation>Connexion en cours ; l’agent peut ouvrir un navigateur ou vous poser une question…</translation>
    </message>
    <message>
        <source>Run this in a terminal, and come back when it says that you are signed in:</source>
        <translation>Exécutez ceci dans un terminal, puis revenez quand il dit que vous êtes connecté :</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Sidekicks could not start</source>
        <translation>Sidekicks n’a pas pu démarrer</translation>
    </message>
</context>
<context>
    <name>MemberChip</name>
    <message>
        <source>context {percent} % full ({used} of {size} tokens)</source>
        <translation>contexte plein à {percent} % ({used} jetons sur {size})</translation>
    </message>
    <message>
        <source>cost so far: {amount}</source>
        <translation>coût jusqu’ici : {amount}</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Copy Message</source>
        <translation>Copier le message</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Copier en Markdown</translation>
    </message>
    <message>
        <source>Copy Link</source>
        <translation>Copier le lien</translation>
    </message>
    <message>
        <source>Quote in Reply</source>
        <translation>Citer dans la réponse</translation>
    </message>
    <message>
        <source>Select Message</source>
        <translation>Sélectionner le message</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Dismiss</source>
        <translation>Masquer</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>Show logs</source>
        <translation>Voir le journal</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>Ouvrir les réglages</translation>
    </message>
</context>
<context>
    <name>OptionsMenu</name>
    <message>
        <source>Its options are known once it has started here</source>
        <translation>Ses options sont connues une fois qu’il a démarré ici</translation>
    </message>
</context>
<context>
    <name>PermissionCard</name>
    <message>
        <source>It contains characters that cannot be seen; they are shown as ⟨U+…⟩.</source>
        <translation>Contient des caractères invisibles ; ils sont montrés comme ⟨U+…⟩.</translation>
    </message>
    <message>
        <source>You rejected one request of this answer.</source>
        <translation>Vous avez refusé une demande de cette réponse.</translation>
    </message>
    <message>
        <source>You rejected {count} requests of this answer.</source>
        <translation>Vous avez refusé {count} demandes de cette réponse.</translation>
    </message>
    <message>
        <source>{answer}: {name}</source>
        <translation>{answer} : {name}</translation>
    </message>
    <message>
        <source>{agent} wants to read {what}</source>
        <translation>{agent} veut lire {what}</translation>
    </message>
    <message>
        <source>{agent} wants to edit {what}</source>
        <translation>{agent} veut modifier {what}</translation>
    </message>
    <message>
        <source>{agent} wants to delete {what}</source>
        <translation>{agent} veut supprimer {what}</translation>
    </message>
    <message>
        <source>{agent} wants to move {what}</source>
        <translation>{agent} veut déplacer {what}</translation>
    </message>
    <message>
        <source>{agent} wants to search {what}</source>
        <translation>{agent} veut chercher {what}</translation>
    </message>
    <message>
        <source>{agent} wants to run a command</source>
        <translation>{agent} veut exécuter une commande</translation>
    </message>
    <message>
        <source>{agent} wants to think: {what}</source>
        <translation>{agent} veut réfléchir : {what}</translation>
    </message>
    <message>
        <source>{agent} wants to fetch {what}</source>
        <translation>{agent} veut télécharger {what}</translation>
    </message>
    <message>
        <source>{agent} wants to change its mode: {what}</source>
        <translation>{agent} veut changer de mode : {what}</translation>
    </message>
    <message>
        <source>{agent} wants to use {what}</source>
        <translation>{agent} veut utiliser {what}</translation>
    </message>
    <message>
        <source>Allow once</source>
        <translation>Autoriser une fois</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>Toujours autoriser</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Refuser</translation>
    </message>
    <message>
        <source>Always reject</source>
        <translation>Toujours refuser</translation>
    </message>
</context>
<context>
    <name>Picture</name>
    <message>
        <source>{name} cannot be shown</source>
        <translation>{name} ne peut pas être affichée</translation>
    </message>
    <message>
        <source>Image: {name}</source>
        <translation>Image : {name}</translation>
    </message>
    <message>
        <source>{name}: show large</source>
        <translation>{name} : afficher en grand</translation>
    </message>
</context>
<context>
    <name>PictureDialog</name>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
</context>
<context>
    <name>ProblemList</name>
    <message>
        <source>{mark}  Line {line}: {problem}</source>
        <translation>{mark}  Ligne {line} : {problem}</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Problèmes</translation>
    </message>
    <message>
        <source>Change to “{word}”</source>
        <translation>Remplacer par « {word} »</translation>
    </message>
</context>
<context>
    <name>Remembered</name>
    <message>
        <source>reading</source>
        <translation>la lecture</translation>
    </message>
    <message>
        <source>edits</source>
        <translation>les modifications</translation>
    </message>
    <message>
        <source>deleting</source>
        <translation>les suppressions</translation>
    </message>
    <message>
        <source>moving</source>
        <translation>les déplacements</translation>
    </message>
    <message>
        <source>searches</source>
        <translation>les recherches</translation>
    </message>
    <message>
        <source>commands</source>
        <translation>les commandes</translation>
    </message>
    <message>
        <source>thinking</source>
        <translation>la réflexion</translation>
    </message>
    <message>
        <source>fetching</source>
        <translation>les téléchargements</translation>
    </message>
    <message>
        <source>changes of mode</source>
        <translation>les changements de mode</translation>
    </message>
    <message>
        <source>other tools</source>
        <translation>les autres outils</translation>
    </message>
    <message>
        <source>Always allow {tools}</source>
        <translation>Toujours autoriser {tools}</translation>
    </message>
    <message>
        <source>Always reject {tools}</source>
        <translation>Toujours refuser {tools}</translation>
    </message>
    <message>
        <source>Counts for {agent} in every conversation, until it is revoked in Settings.</source>
        <translation>Vaut pour {agent} dans toutes les conversations, jusqu’à sa révocation dans les réglages.</translation>
    </message>
    <message>
        <source>{agent} remembers this itself, for as long as it says.</source>
        <translation>{agent} s’en souvient de lui-même, aussi longtemps qu’il le dit.</translation>
    </message>
</context>
<context>
    <name>RememberedAnswers</name>
    <message>
        <source>Nothing is remembered: each agent asks as its entry in the file says.</source>
        <translation>Aucune réponse n’est retenue : chaque agent demande selon son entrée dans le fichier.</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Demander à nouveau</translation>
    </message>
</context>
<context>
    <name>Search</name>
    <message>
        <source>You</source>
        <translation>Vous</translation>
    </message>
</context>
<context>
    <name>SearchPage</name>
    <message>
        <source>Only in {conversation}</source>
        <translation>Seulement dans {conversation}</translation>
    </message>
    <message>
        <source>Not everything is looked through yet: the index is being made.</source>
        <translation>Tout n’a pas encore été parcouru : l’index est en cours de création.</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Aucun résultat.</translation>
    </message>
    <message>
        <source>The newest {count}; there are more.</source>
        <translation>Les {count} plus récents ; il y en a d’autres.</translation>
    </message>
    <message>
        <source>Search in all that was said</source>
        <translation>Rechercher dans tout ce qui a été dit</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Résultats</translation>
    </message>
    <message>
        <source>Back to the conversation (Esc)</source>
        <translation>Retour à la conversation (Échap)</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Retour</translation>
    </message>
</context>
<context>
    <name>SessionsDialog</name>
    <message>
        <source>Sessions of {agent}</source>
        <translation>Sessions de {agent}</translation>
    </message>
    <message>
        <source>Asking the agent…</source>
        <translation>On demande à l’agent…</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Plus</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>La reprendre</translation>
    </message>
    <message>
        <source>It keeps no session for this folder.</source>
        <translation>Il ne garde aucune session pour ce dossier.</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Open a configuration file</source>
        <translation>Ouvrir un fichier de configuration</translation>
    </message>
    <message>
        <source>Configuration files (*.yaml *.yml)</source>
        <translation>Fichiers de configuration (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>No program for this file was found; edit {path} with any editor.</source>
        <translation>Aucun programme n’a été trouvé pour ce fichier ; modifiez {path} avec n’importe quel éditeur.</translation>
    </message>
    <message>
        <source>Open another file without saving?</source>
        <translation>Ouvrir un autre fichier sans enregistrer&#x202f;?</translation>
    </message>
    <message>
        <source>What you changed in this file and did not save is lost:</source>
        <translation>Ce que vous avez modifié dans ce fichier sans l’enregistrer sera perdu&#x202f;:</translation>
    </message>
    <message>
        <source>Open without saving</source>
        <translation>Ouvrir sans enregistrer</translation>
    </message>
</context>
<context>
    <name>SettingsBar</name>
    <message>
        <source>Back to the conversation (Esc)</source>
        <translation>Retour à la conversation (Échap)</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Retour</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Add agent</source>
        <translation>Ajouter un agent</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Fichier</translation>
    </message>
    <message>
        <source>System theme</source>
        <translation>Thème du système</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Clair</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Sombre</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Thème</translation>
    </message>
    <message>
        <source>System language</source>
        <translation>Langue du système</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Langue</translation>
    </message>
    <message>
        <source>Not installed here</source>
        <translation>Non installés ici</translation>
    </message>
    <message>
        <source>Another program…</source>
        <translation>Un autre programme…</translation>
    </message>
    <message>
        <source>Open another file…</source>
        <translation>Ouvrir un autre fichier…</translation>
    </message>
    <message>
        <source>Open in the editor of the desktop</source>
        <translation>Ouvrir dans l’éditeur du bureau</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Taille</translation>
    </message>
    <message>
        <source>Larger (Ctrl++)</source>
        <translation>Plus grand (Ctrl++)</translation>
    </message>
    <message>
        <source>Smaller (Ctrl+-)</source>
        <translation>Plus petit (Ctrl+-)</translation>
    </message>
    <message>
        <source>Normal size (Ctrl+0)</source>
        <translation>Taille normale (Ctrl+0)</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Configuration file</source>
        <translation>Fichier de configuration</translation>
    </message>
    <message>
        <source>Remembered answers</source>
        <translation>Réponses retenues</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>Garder le mien</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Abandonner</translation>
    </message>
    <message>
        <source>Go back to what is in the file</source>
        <translation>Revenir au contenu du fichier</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>Save (Ctrl+S)</source>
        <translation>Enregistrer (Ctrl+S)</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problème</numerusform>
            <numerusform>%n problèmes</numerusform>
        </translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>Non enregistré</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Enregistré</translation>
    </message>
    <message>
        <source>The file was changed elsewhere while you were writing. Undo brings yours back after loading it; a copy of theirs stays beside the file when you keep yours.</source>
        <translation>Le fichier a été modifié ailleurs pendant que vous écriviez. Après l’avoir chargé, Annuler rétablit le vôtre ; si vous gardez le vôtre, une copie de l’autre reste à côté.</translation>
    </message>
    <message>
        <source>Load theirs</source>
        <translation>Charger l’autre</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Search conversations</source>
        <translation>Chercher une conversation</translation>
    </message>
    <message>
        <source>Enter searches in all that was said when no name fits</source>
        <translation>Entrée cherche dans tout ce qui a été dit quand aucun nom ne convient</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>Canaux</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Conversations</translation>
    </message>
    <message>
        <source>New channel (Ctrl+N)</source>
        <translation>Nouveau canal (Ctrl+N)</translation>
    </message>
    <message>
        <source>New channel</source>
        <translation>Nouveau canal</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Réglages</translation>
    </message>
    <message>
        <source>Settings (not saved)</source>
        <translation>Réglages (non enregistrés)</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Déplacer vers le haut</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Déplacer vers le bas</translation>
    </message>
    <message>
        <source>Edit channel…</source>
        <translation>Modifier le canal…</translation>
    </message>
    <message>
        <source>Delete conversation…</source>
        <translation>Supprimer la conversation…</translation>
    </message>
</context>
<context>
    <name>Switcher</name>
    <message>
        <source>Go to</source>
        <translation>Aller à</translation>
    </message>
    <message>
        <source>Go to a conversation, an agent or a command</source>
        <translation>Aller à une conversation, un agent ou une commande</translation>
    </message>
    <message>
        <source>Where to go</source>
        <translation>Destinations</translation>
    </message>
</context>
<context>
    <name>System</name>
    <message>
        <source>{agent} joined</source>
        <translation>{agent} a rejoint le canal</translation>
    </message>
    <message>
        <source>{agent} left</source>
        <translation>{agent} a quitté le canal</translation>
    </message>
    <message>
        <source>Nobody was addressed. Mention an agent with @ to get an answer.</source>
        <translation>Personne n’était nommé. Mentionnez un agent avec @ pour avoir une réponse.</translation>
    </message>
    <message>
        <source>{agent} is not available</source>
        <translation>{agent} n’est pas disponible</translation>
    </message>
    <message>
        <source>{agent} is not available: {error}</source>
        <translation>{agent} n’est pas disponible : {error}</translation>
    </message>
    <message>
        <source>{agent} could not go on with its session and was given the last messages: {error}</source>
        <translation>{agent} n’a pas pu reprendre sa session et a reçu les derniers messages : {error}</translation>
    </message>
</context>
<context>
    <name>ToolDetail</name>
    <message>
        <source>Command</source>
        <translation>Commande</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Entrée</translation>
    </message>
    <message>
        <source>{path} (new file)</source>
        <translation>{path} (nouveau fichier)</translation>
    </message>
    <message>
        <source>Nothing to show yet.</source>
        <translation>Rien à montrer pour l’instant.</translation>
    </message>
    <message>
        <source>No output.</source>
        <translation>Aucune sortie.</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Sortie</translation>
    </message>
    <message>
        <source>Show all {count} lines</source>
        <translation>Montrer les {count} lignes</translation>
    </message>
</context>
<context>
    <name>ToolKind</name>
    <message>
        <source>read</source>
        <translation>lire</translation>
    </message>
    <message>
        <source>edit</source>
        <translation>modifier</translation>
    </message>
    <message>
        <source>delete</source>
        <translation>supprimer</translation>
    </message>
    <message>
        <source>move</source>
        <translation>déplacer</translation>
    </message>
    <message>
        <source>search</source>
        <translation>chercher</translation>
    </message>
    <message>
        <source>run</source>
        <translation>exécuter</translation>
    </message>
    <message>
        <source>think</source>
        <translation>réfléchir</translation>
    </message>
    <message>
        <source>fetch</source>
        <translation>télécharger</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>mode</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>outil</translation>
    </message>
</context>
<context>
    <name>ToolStatus</name>
    <message>
        <source>waiting</source>
        <translation>en attente</translation>
    </message>
    <message>
        <source>running</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fait</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>failed with exit code {code}</source>
        <translation>échec avec le code {code}</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Show Sidekicks</source>
        <translation>Afficher Sidekicks</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
</context>
<context>
    <name>WaitingList</name>
    <message>
        <source>Waiting: {text}</source>
        <translation>En attente : {text}</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Modifier</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Retirer</translation>
    </message>
</context>
<context>
    <name>Workspace</name>
    <message>
        <source>Starting {agent}…</source>
        <translation>Démarrage de {agent}…</translation>
    </message>
    <message>
        <source>Nothing was heard of {agent} for a while; Stop ends the answer</source>
        <translation>Aucune nouvelle de {agent} depuis un moment ; Arrêter met fin à la réponse</translation>
    </message>
    <message>
        <source>Waiting for {agent}, who answers in {channel}</source>
        <translation>{agent} répond d’abord dans {channel}</translation>
    </message>
</context>
<context>
    <name>YamlEditor</name>
    <message>
        <source>Configuration file</source>
        <translation>Fichier de configuration</translation>
    </message>
</context>
</TS>
